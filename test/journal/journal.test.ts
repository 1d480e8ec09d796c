/** The journal as a hostile reader sees it: what is in it, for how long, who may take it out, and what is left of it on the disk. */
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Journal } from '../../src/journal/journal.js';
import { referenceMark } from '../../src/contract/marks.js';
import type { KeptRequest } from '../../src/journal/request.js';
import { openJournal } from '../../src/journal/sqlite-journal.js';
import { at, body, folder, HOUR_MS, leaving, NOW_MS, opened, recorded } from './given.js';

const keys = (journal: Journal): string[] => journal.open().map(({ idempotencyKey }) => idempotencyKey);
/** Another amount for each key: equal bodies stand in each other's way. */
const other = (key: string) => ({ idempotencyKey: key, body: body({ amount: '10.00', key }) });
const SETTLED = { operation: 'operation-1', status: 'pending' };
const SENDER = {
  keyMask: 'svc_test_...zzzz',
  keyPrint: 'print-2',
  address: 'embedded',
  origin: 'embedded',
};

describe('a journal', () => {
  it('keeps everything about a request, exact bytes included, and gives it to the next process', () => {
    const { journal, file } = opened();
    const bytes = Buffer.from([0x7b, 0x00, 0xff, 0xfe, 0x0d, 0x0a, 0x7d]);
    const { request } = recorded(journal, {
      body: bytes,
      environment: 'live',
      address: 'https://a.example',
      isOwnKey: false,
      firstLeftMs: NOW_MS + 0.4,
    });
    const another = openJournal(file);
    const [read] = another.open();
    expect(plain(read!)).toEqual({ ...plain(request), firstLeftMs: NOW_MS });
    expect(Buffer.from(read!.body)).toEqual(bytes);
    journal.close();
    another.close();
  });

  it('is private, with its companions', () => {
    const { journal, file } = opened();
    recorded(journal);
    const files = readdirSync(join(file, '..'));
    expect(files).toContain('requests.db-wal');
    for (const name of files) expect(statSync(join(file, '..', name)).mode & 0o777).toBe(0o600);
    journal.close();
  });

  it('lists what is open once, as it first left, the oldest first, or what has one key', () => {
    const { journal } = opened();
    recorded(journal, { ...other('second-key'), firstLeftMs: NOW_MS });
    recorded(journal, { ...other('first-key'), firstLeftMs: NOW_MS - 1 });
    recorded(journal, { ...other('second-key'), firstLeftMs: NOW_MS + HOUR_MS }, at(NOW_MS + HOUR_MS));
    expect(keys(journal)).toEqual(['first-key', 'second-key']);
    expect(journal.open('second-key')).toMatchObject([{ firstLeftMs: NOW_MS }]);
    expect(journal.open('no-such-key')).toEqual([]);
    journal.close();
  });

  it('counts sendings: each that was not carried out takes its own away, an operation in hand takes all', () => {
    const { journal } = opened();
    const { request } = recorded(journal);
    recorded(journal);
    journal.again(journal.open()[0]!, SENDER);
    journal.withdraw(request);
    journal.withdraw(request);
    expect(journal.open()).toMatchObject([{ row: request.row, ...SENDER }]);
    journal.again(journal.open()[0]!, SENDER);
    journal.settle(request, SETTLED);
    expect(journal.open()).toEqual([]);
    // What comes late about one of its sendings changes nothing.
    journal.withdraw(request);
    journal.keep(request);
    expect(journal.open()).toEqual([]);
    expect(journal.record(leaving(), at(NOW_MS))).toMatchObject({ known: SETTLED });
    journal.close();
  });

  it('knows nothing more of a request none of whose sendings was carried out', () => {
    const { journal } = opened();
    const { request } = recorded(journal);
    journal.withdraw(request);
    expect(journal.knows(leaving())).toBe(false);
    expect(journal.record(leaving(), at(NOW_MS))).toMatchObject({ isNew: true });
    journal.close();
  });

  it('one more sending of a settled request that was not carried out leaves what it is known to have become', () => {
    const { journal } = opened();
    journal.settle(recorded(journal).request, SETTLED);
    const again = recorded(journal);
    expect(again.known).toEqual(SETTLED);
    expect(journal.open()).toHaveLength(1);
    journal.withdraw(again.request);
    expect(journal.open()).toEqual([]);
    expect(recorded(journal).known).toEqual(SETTLED);
    journal.close();
  });

  it('gives the bytes back to a request of unknown outcome that was forgotten while it was under way', () => {
    const { journal } = opened();
    const { request } = recorded(journal);
    expect(journal.forget()).toBe(1);
    expect(journal.open()).toEqual([]);
    journal.keep(request);
    expect(journal.open().map(({ body: kept }) => Buffer.from(kept))).toEqual([leaving().body]);
    journal.close();
  });

  it('a request that somebody settled and cleared is sent again as a new row, which its end settles', () => {
    const { journal } = opened();
    const { request } = recorded(journal, { isOwnKey: false });
    const [read] = journal.open();
    journal.settle(request, SETTLED);
    const sent = journal.again(read!, SENDER);
    expect(sent.row).not.toBe(request.row);
    expect(journal.open()).toMatchObject([{ row: sent.row, firstLeftMs: NOW_MS }]);
    journal.settle(sent, SETTLED);
    expect(journal.open()).toEqual([]);
    journal.close();
  });

  it('never gives the number of a row to another: a late word about the first takes nothing of the second', () => {
    const { journal } = opened();
    const first = recorded(journal, other('first-key')).request;
    journal.withdraw(first);
    const second = recorded(journal, other('second-key')).request;
    expect(second.row).not.toBe(first.row);
    journal.withdraw(first);
    journal.settle(first, SETTLED);
    journal.keep(first);
    expect(keys(journal)).toEqual(['second-key']);
    journal.close();
  });

  it.each<
    readonly [name: string, learn: (journal: Journal, row: ReturnType<typeof recorded>['request']) => void]
  >([
    ['an operation', (journal, request) => journal.settle(request, SETTLED, NOW_MS - HOUR_MS + 0.6)],
    ['an unknown outcome', (journal, request) => journal.keep(request, NOW_MS - HOUR_MS + 0.6)],
  ])('learns from %s when it really left', (_name, learn) => {
    const { journal } = opened();
    learn(journal, recorded(journal, { body: body({ reference: 'Emp 5' }) }).request);
    const [kept] = journal.behind(0);
    expect(kept?.firstLeftMs).toBe(NOW_MS - HOUR_MS + 1);
    journal.close();
  });

  it('clears bytes after 30 days and the rest after 35', () => {
    const { journal } = opened();
    const days = (count: number): number => NOW_MS - count * 24 * HOUR_MS;
    recorded(journal, { ...other('gone-at-35'), firstLeftMs: days(35) - 1 });
    recorded(journal, { ...other('marks-only'), firstLeftMs: days(30) - 1 });
    recorded(journal, { ...other('just-kept'), firstLeftMs: days(30) });
    recorded(journal, { ...other('in-future'), firstLeftMs: NOW_MS + HOUR_MS });
    journal.clear(NOW_MS);
    expect(keys(journal)).toEqual(['just-kept', 'in-future']);
    expect(
      ['gone-at-35', 'marks-only', 'just-kept'].map((key) => journal.knows(leaving(other(key)))),
    ).toEqual([false, true, true]);
    journal.close();
  });

  it('forgets the bytes of one key or of everything, and says how many requests that were', () => {
    const { journal } = opened();
    for (const key of ['first-key', 'second-key', 'third-key']) recorded(journal, other(key));
    recorded(journal, other('second-key'));
    expect(journal.forget('second-key')).toBe(1);
    expect(journal.forget('second-key')).toBe(0);
    expect(keys(journal)).toEqual(['first-key', 'third-key']);
    expect(journal.forget()).toBe(2);
    journal.close();
  });

  it('drops everything of one place, and nothing of another', () => {
    const { journal } = opened();
    recorded(journal, { ...other('first-key'), origin: 'embedded' });
    recorded(journal, { ...other('second-key'), environment: 'live', origin: 'embedded' });
    recorded(journal, other('third-key'));
    expect(journal.drop('sandbox', 'embedded')).toBe(1);
    expect(keys(journal)).toEqual(['second-key', 'third-key']);
    journal.close();
  });

  it.each([
    ['settled', (journal: Journal, row: number) => journal.settle({ row }, SETTLED)],
    ['forgotten', (journal: Journal) => journal.forget()],
    ['not carried out', (journal: Journal, row: number) => journal.withdraw({ row })],
    ['cleared', (journal: Journal) => journal.clear(NOW_MS + 31 * 24 * HOUR_MS)],
  ])('leaves nothing of a body on the disk once it is %s', (_name, end) => {
    const { journal, file } = opened();
    const secret = '01020123456789012345';
    const bytes = Buffer.from(`{"account_number":"${secret}"}`.padEnd(9000));
    const { request } = recorded(journal, { body: bytes });
    const onDisk = (): boolean =>
      readdirSync(join(file, '..')).some((name) => readFileSync(join(file, '..', name)).includes(secret));
    expect(onDisk()).toBe(true);
    end(journal, request.row);
    journal.close();
    expect(onDisk()).toBe(false);
  });
});

/** Bytes as text, so that a Buffer is what a Uint8Array is. */
function plain(request: KeptRequest): object {
  const bytes = (value: unknown): unknown =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
  return Object.fromEntries(Object.entries(request).map(([name, value]) => [name, bytes(value)]));
}

describe('the book', () => {
  const REFERENCE = body({ amount: '10.00', reference: 'Emp 5' });
  const query = {
    environment: 'sandbox',
    direction: 'payout',
    referenceMarks: [referenceMark('EMP 5')],
  } as const;

  it('finds requests by reference, open and settled, in one environment and direction', () => {
    const { journal } = opened();
    const first = recorded(journal, { body: REFERENCE }).request;
    journal.settle(first, SETTLED);
    recorded(journal, { body: REFERENCE, idempotencyKey: 'key-00000002', environment: 'live' });
    recorded(journal, other('key-00000003'));
    expect(journal.ofReferences(query)).toMatchObject([{ row: first.row, settled: SETTLED }]);
    expect(journal.ofReferences({ ...query, direction: 'payin' })).toEqual([]);
    expect(journal.ofReferences({ ...query, referenceMarks: [] })).toEqual([]);
    journal.close();
  });

  it('tells what came behind a row, with a reference', () => {
    const { journal } = opened();
    expect(journal.lastRow()).toBe(0);
    const first = recorded(journal, other('first-key')).request;
    const second = recorded(journal, { body: REFERENCE }).request;
    expect(journal.lastRow()).toBe(second.row);
    expect(journal.behind(first.row).map(({ row }) => row)).toEqual([second.row]);
    expect(journal.behind(second.row)).toEqual([]);
    journal.close();
  });

  it('knows what was pending, and what became of it since', () => {
    const { journal } = opened();
    const { request } = recorded(journal);
    expect(journal.pending('sandbox', 'payout')).toEqual([]);
    journal.settle(request, SETTLED);
    expect(journal.pending('sandbox', 'payout')).toMatchObject([{ row: request.row }]);
    expect(journal.pending('live', 'payout')).toEqual([]);
    expect(journal.pending('sandbox', 'payin')).toEqual([]);
    journal.update(request, 'failed');
    expect(journal.pending('sandbox', 'payout')).toEqual([]);
    journal.close();
  });

  it('knows the newest operation of an API key in an environment', () => {
    const { journal } = opened();
    const [first, second] = [other('first-key'), other('second-key')].map(
      (one) => recorded(journal, one).request,
    );
    expect(journal.newestOf('print-1', 'sandbox')).toBeNull();
    journal.settle(second!, { operation: 'operation-2', status: 'confirmed' });
    journal.settle(first!, SETTLED);
    expect(journal.newestOf('print-1', 'sandbox')).toBe('operation-2');
    expect(journal.newestOf('print-1', 'live')).toBeNull();
    expect(journal.newestOf('print-2', 'sandbox')).toBeNull();
    journal.close();
  });

  it('has no use for a settled request whose key was generated and that names no payment', () => {
    const { journal } = opened();
    journal.settle(recorded(journal, { isOwnKey: false }).request, SETTLED);
    expect(journal.knows(leaving())).toBe(false);
    journal.settle(recorded(journal, { isOwnKey: false, body: REFERENCE }).request, SETTLED);
    expect(journal.ofReferences(query)).toHaveLength(1);
    journal.close();
  });
});

describe('a journal that cannot be used', () => {
  const reasons: readonly (readonly [name: string, spoil: (file: string) => void, problem: string])[] = [
    ['holds something else', (file) => writeFileSync(file, 'no database at all '.repeat(99)), 'damaged'],
    ['lost its end', (file) => truncateSync(file, 5000), 'damaged'],
    ['was written by a newer version', (file) => change(file, 'PRAGMA user_version = 3'), 'newer'],
    ["is another program's", (file) => change(file, 'PRAGMA application_id = 7'), 'foreign'],
  ];

  it.each(reasons)('%s: says so, and says that nothing was sent', (_name, spoil, problem) => {
    const { journal, file } = opened();
    for (let size = 0; size < 20; size += 1) recorded(journal, other(`key-${size}-00000001`));
    journal.close();
    spoil(file);
    const use = (): void => {
      const again = openJournal(file);
      try {
        again.open();
        again.record(leaving(), at(NOW_MS));
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
