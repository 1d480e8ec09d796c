/** The journal as a hostile reader sees it: what is in it, for how long, who may take it out, and what is left of it on the disk. */
import fc from 'fast-check';
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Intent, KeptIntent } from '../../src/journal/intent.js';
import { openJournal, type Journal } from '../../src/journal/journal.js';
import { folder, HOUR_MS, intent, NOW_MS } from './given.js';

function opened(file = join(folder(), 'requests.db')): { journal: Journal; file: string } {
  return { journal: openJournal(file), file };
}

const keys = (journal: Journal): string[] => journal.list().map(({ idempotencyKey }) => idempotencyKey);

describe('a journal', () => {
  it('keeps key, address, environment and exact bytes, and gives them to the next process', () => {
    const { journal, file } = opened();
    const body = Buffer.from([0x7b, 0x00, 0xff, 0xfe, 0x0d, 0x0a, 0x7d]);
    const kept = journal.record(intent({ body, environment: 'live', address: 'https://a.example' }));
    const another = openJournal(file);
    const [read] = another.list();
    expect(read).toEqual({ ...kept, body: new Uint8Array(body) });
    journal.close();
    another.close();
  });

  it('is private, with its companions', () => {
    const { journal, file } = opened();
    journal.record(intent());
    const files = readdirSync(join(file, '..'));
    expect(files).toContain('requests.db-wal');
    for (const name of files) expect(statSync(join(file, '..', name)).mode & 0o777).toBe(0o600);
    journal.close();
  });

  it('lists what is open, the oldest first, or what has one key', () => {
    const { journal } = opened();
    for (const key of ['first-key', 'second-key', 'first-key'])
      journal.record(intent({ idempotencyKey: key }));
    expect(keys(journal)).toEqual(['first-key', 'second-key', 'first-key']);
    expect(journal.list('first-key')).toHaveLength(2);
    expect(journal.list('no-such-key')).toEqual([]);
    journal.close();
  });

  it('settles one sending, or all sendings of the same bytes with the same key to the same address', () => {
    const { journal } = opened();
    const [first, again] = [journal.record(intent()), journal.record(intent())];
    const others = [
      journal.record(intent({ body: Buffer.from('{"amount":"99.00"}') })),
      journal.record(intent({ address: 'embedded' })),
      journal.record(intent({ environment: 'live' })),
      journal.record(intent({ path: '/v2/payins' })),
      journal.record(intent({ idempotencyKey: 'key-00000002' })),
    ];
    journal.settle(again);
    expect(journal.list().map(({ row }) => row)).toEqual([first, ...others].map(({ row }) => row));
    journal.settleAll(again);
    expect(journal.list().map(({ row }) => row)).toEqual(others.map(({ row }) => row));
    journal.close();
  });

  it('puts an unknown outcome back where another sending took it along, and leaves it alone otherwise', () => {
    const { journal } = opened();
    const kept = journal.record(intent());
    journal.keep(kept);
    expect(journal.list()).toHaveLength(1);
    journal.settleAll(intent());
    journal.keep(kept);
    expect(journal.list().map(({ createdAtMs, body }) => [createdAtMs, Buffer.from(body)])).toEqual([
      [kept.createdAtMs, kept.body],
    ]);
    journal.close();
  });

  it('never gives the number of a sending to another: a late word about the first takes nothing of the second', () => {
    const { journal } = opened();
    const first = journal.record(intent({ idempotencyKey: 'first-key' }));
    journal.forget();
    const second = journal.record(intent({ idempotencyKey: 'second-key' }));
    expect(second.row).not.toBe(first.row);
    journal.settle(first);
    expect(keys(journal)).toEqual(['second-key']);
    journal.keep(first);
    expect(keys(journal)).toEqual(['second-key', 'first-key']);
    journal.close();
  });

  it('clears what left more than 30 days ago and nothing else', () => {
    const { journal } = opened();
    const days = (count: number): number => NOW_MS - count * 24 * HOUR_MS;
    journal.record(intent({ idempotencyKey: 'too-old-1', createdAtMs: days(30) - 1 }));
    journal.record(intent({ idempotencyKey: 'just-kept', createdAtMs: days(30) }));
    journal.record(intent({ idempotencyKey: 'in-future', createdAtMs: NOW_MS + HOUR_MS }));
    journal.clear(NOW_MS);
    expect(keys(journal)).toEqual(['just-kept', 'in-future']);
    journal.close();
  });

  it('forgets one key or everything, and says how many sendings that were', () => {
    const { journal } = opened();
    for (const key of ['first-key', 'second-key', 'third-key'])
      journal.record(intent({ idempotencyKey: key }));
    expect(journal.forget('second-key')).toBe(1);
    expect(journal.forget('second-key')).toBe(0);
    expect(keys(journal)).toEqual(['first-key', 'third-key']);
    expect(journal.forget()).toBe(2);
    journal.close();
  });

  it('leaves nothing of a body on the disk once it is settled', () => {
    const { journal, file } = opened();
    const secret = '01020123456789012345';
    const kept = journal.record(intent({ body: Buffer.from(`{"account_number":"${secret}"}`.padEnd(9000)) }));
    const onDisk = (): boolean =>
      readdirSync(join(file, '..')).some((name) => readFileSync(join(file, '..', name)).includes(secret));
    expect(onDisk()).toBe(true);
    journal.settle(kept);
    journal.close();
    expect(onDisk()).toBe(false);
  });
});

describe('a journal that cannot be used', () => {
  const reasons: readonly (readonly [name: string, spoil: (file: string) => void, problem: string])[] = [
    ['holds something else', (file) => writeFileSync(file, 'no database at all '.repeat(99)), 'damaged'],
    ['lost its end', (file) => truncateSync(file, 5000), 'damaged'],
    ['was written by a newer version', (file) => change(file, 'PRAGMA user_version = 2'), 'newer'],
    ["is another program's", (file) => change(file, 'PRAGMA application_id = 7'), 'foreign'],
  ];

  it.each(reasons)('%s: says so, and says that nothing was sent', (_name, spoil, problem) => {
    const { journal, file } = opened();
    for (let size = 0; size < 20; size += 1) journal.record(intent({ body: Buffer.alloc(1000) }));
    journal.close();
    spoil(file);
    const use = (): void => {
      const again = openJournal(file);
      try {
        again.list();
        again.record(intent());
      } finally {
        again.close();
      }
    };
    expect(use).toThrow(
      expect.objectContaining({
        kind: 'local_state',
        problem,
        facts: expect.objectContaining({ outcome: 'not_sent' }) as object,
      }) as Error,
    );
  });

  it('is a folder: says so', () => {
    const file = join(folder(), 'requests.db');
    mkdirSync(file);
    expect(() => openJournal(file)).toThrow(expect.objectContaining({ kind: 'local_state' }) as Error);
  });
});

function change(file: string, statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}

type Step =
  | { readonly do: 'record'; readonly intent: Intent }
  | { readonly do: 'keep' | 'settle' | 'settleAll'; readonly which: number }
  | { readonly do: 'forget'; readonly key: string | undefined };

describe('any sequence of sendings and words about them', () => {
  const key = fc.constantFrom('key-00000001', 'key-00000002');
  const anyIntent = fc
    .record({
      idempotencyKey: key,
      address: fc.constantFrom('embedded', 'https://a.example'),
      body: fc.constantFrom('{}', '{"a":1}'),
    })
    .map(({ body, ...rest }) => intent({ ...rest, body: Buffer.from(body) }));
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 3, arbitrary: anyIntent.map((one) => ({ do: 'record' as const, intent: one })) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom('keep' as const, 'settle' as const, 'settleAll' as const),
        which: fc.nat(20),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('forget' as const), key: fc.option(key, { nil: undefined }) }),
    },
  );

  it('leaves exactly what nobody has settled or forgotten since it was recorded or kept', () => {
    const { journal } = opened();
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        journal.forget();
        const sent: KeptIntent[] = [];
        let open: readonly (readonly [row: number | null, one: Intent])[] = [];
        for (const taken of steps) open = apply(journal, taken, sent, open);
        const fingerprints = (list: readonly Intent[]): string[] =>
          list
            .map(
              ({ idempotencyKey, address, body }) =>
                `${idempotencyKey} ${address} ${Buffer.from(body).toString()}`,
            )
            .sort();
        expect(fingerprints(journal.list())).toEqual(fingerprints(open.map(([, one]) => one)));
      }),
      { numRuns: 60 },
    );
    journal.close();
  });
});

type Open = readonly (readonly [row: number | null, one: Intent])[];

/** The same step on the journal and on a plain list. */
function apply(journal: Journal, step: Step, sent: KeptIntent[], open: Open): Open {
  if (step.do === 'record') {
    const kept = journal.record(step.intent);
    sent.push(kept);
    return [...open, [kept.row, step.intent]];
  }
  if (step.do === 'forget') {
    journal.forget(step.key);
    return open.filter(([, one]) => step.key !== undefined && one.idempotencyKey !== step.key);
  }
  const kept = sent[step.which % Math.max(1, sent.length)];
  if (kept === undefined) return open;
  journal[step.do](kept);
  const isSame = (one: Intent): boolean =>
    one.idempotencyKey === kept.idempotencyKey &&
    one.address === kept.address &&
    Buffer.compare(one.body, kept.body) === 0;
  if (step.do === 'settleAll') return open.filter(([, one]) => !isSame(one));
  if (step.do === 'settle') return open.filter(([row]) => row !== kept.row);
  return open.some(([row]) => row === kept.row) ? open : [...open, [null, kept]];
}
