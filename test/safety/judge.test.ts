import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { arrivedBy, keysLeftBy, type Recorded, type Stage } from '../../scripts/safety/cuts.js';
import { DiskHistory, type Entry } from '../../scripts/safety/disk.js';
import { FAULT_NAMES } from '../../scripts/safety/faults.js';
import { examine, nothingCounted, type Counts, type Plan } from '../../scripts/safety/judge.js';
import { clean, type Run } from '../../scripts/safety/person.js';
import { SCENARIOS, type Scenario } from '../../scripts/safety/scenarios.js';
import type { Arrival } from '../../scripts/safety/service.js';
import type { SystemCall, What } from '../../scripts/safety/trace.js';
import { fractions } from '../support/seeded.js';
import { testFolder } from '../support/test-folder.js';

const inOrder = (whats: readonly What[]): SystemCall[] =>
  whats.map((what, index) => ({ ...what, at: index * 10, entry: index, exit: index }));
const sent = (key: string): What => ({ kind: 'sent', key });
const create = (path: string): What => ({ kind: 'create', path });

const ID = '11111111-2222-4333-8444-555555555555';

function arrival(key: string, reference: string, at = 0): Arrival {
  const id = ID.replace(/^1+/, key.padStart(8, '0'));
  return { key, body: '', operation: { id, reference, created_at: '' }, at };
}

function recorded(
  whats: readonly What[],
  rest: Partial<Recorded> & { before?: readonly Entry[] } = {},
): Recorded {
  const calls = inOrder(whats);
  const { before = [], ...given } = rest;
  const history = new DiskHistory(before, calls);
  return { scenario: 'made up', calls, history, initial: [], arrivals: [], accepted: [], ...given };
}

const NEVER: Scenario['recover'] = () => Promise.reject(new Error('nobody recovers'));

function stageOf(
  scenario: Partial<Scenario>,
  svc: (world: Fake, words: readonly string[]) => Partial<Run> = () => ({}),
) {
  const world = new Fake();
  const stage = {
    root: testFolder(),
    scenario: { line: () => [], recover: NEVER, ...scenario },
    service: world,
    world: (random: () => number) => ({
      ...{ root: stage.root, service: world, random },
      svc: (words: readonly string[]) =>
        Promise.resolve({ words, code: 0, out: '', err: '', ...svc(world, words) }),
    }),
  };
  return { world, stage: stage as unknown as Stage };
}

class Fake {
  arrivals: Arrival[] = [];
  putBack(those: readonly Arrival[]): void {
    this.arrivals = [...those];
  }
  pay(key: string, reference: string): void {
    this.arrivals.push(arrival(key, reference));
  }
  paid(reference: string): Arrival['operation'][] {
    return this.arrivals
      .map(({ operation }) => operation)
      .filter((operation) => operation.reference === reference);
  }
}

async function judged(stage: Stage, what: Recorded, plan: Partial<Plan> = {}): Promise<Counts> {
  const { counts } = await examine(stage, what, { cheap: 0, dear: 0, random: fractions(5), ...plan });
  return counts;
}

const found = (counts: Counts): string[] => FAULT_NAMES.filter((fault) => counts[fault] > 0);

describe('whether a key is in a book', () => {
  function stored(sql: string): Entry[] {
    const at = testFolder();
    const db = new DatabaseSync(join(at, 's.db'));
    db.exec(sql);
    const entries = readdirSync(at).map((path) => ({ path, data: readFileSync(join(at, path)) }));
    db.close();
    return entries;
  }

  const REQUESTS = `CREATE TABLE requests (idempotency_key BLOB); INSERT INTO requests VALUES (CAST('k1' AS BLOB));`;
  const rows = (state: string): string =>
    `CREATE TABLE rows (key TEXT, state TEXT); INSERT INTO rows VALUES ('k1', '${state}');`;
  const left = (before: readonly Entry[], ...keys: readonly string[]): Recorded =>
    recorded(keys.map(sent), { before });

  it.each([
    ['one in the journal', REQUESTS, []],
    ['one in a row that may have left', rows('sending'), []],
    ['one in a row that is only planned', rows('planned'), ['unbooked']],
    ['another one', REQUESTS.replace('k1', 'k2'), ['unbooked']],
    ['one in another table', 'CREATE TABLE others (key TEXT)', ['unbooked']],
  ])('looks for it: %s', async (_, sql, faults) => {
    expect(found(await judged(stageOf({}).stage, left(stored(sql), 'k1'), { cheap: 1 }))).toEqual(faults);
  });

  it('asks of keys that had left, and of no later ones', async () => {
    const what = recorded([create('f'), sent('k1')], { before: [] });
    const counts = await judged(stageOf({}).stage, what, { cheap: 40 });
    expect([counts.cheap, counts.unbooked]).toEqual([4, 2]);
    expect(found(await judged(stageOf({}).stage, recorded([create('f')]), { cheap: 40 }))).toEqual([]);
  });

  it('asks of no keys where they leave the books on purpose, or nothing leaves', async () => {
    for (const scenario of [{ isForgetful: true }, { isEmbedded: true }])
      expect(found(await judged(stageOf(scenario).stage, left([], 'k1'), { cheap: 1 }))).toEqual([]);
  });

  it('reads a log that was written, and misses what a cut has taken of it', async () => {
    const before = stored(
      `PRAGMA journal_mode = WAL; CREATE TABLE requests (idempotency_key TEXT); PRAGMA wal_checkpoint(TRUNCATE);`,
    );
    const after = stored(
      `PRAGMA journal_mode = WAL; CREATE TABLE requests (idempotency_key TEXT); PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO requests VALUES ('k1');`,
    );
    const log = after.find(({ path }) => path === 's.db-wal')?.data ?? Buffer.alloc(0);
    expect(log.length).toBeGreaterThan(0);
    const run = (isSynced: boolean): Recorded =>
      recorded(
        [
          { kind: 'write', path: 's.db-wal', off: 0, data: log },
          ...(isSynced ? [{ kind: 'sync', path: 's.db-wal' } as const] : []),
          sent('k1'),
        ],
        { before },
      );
    expect(found(await judged(stageOf({}).stage, run(true), { cheap: 20 }))).toEqual([]);
    const counts = await judged(stageOf({}).stage, run(false), { cheap: 20 });
    expect(found(counts)).toEqual(['unbooked']);
    expect(counts.unbooked).toBeLessThan(counts.cheap);
    const ignored = { ignored: (site: string) => site === 'file s.db-wal before a sending #1' };
    expect(found(await judged(stageOf({}).stage, run(true), { cheap: 20, ...ignored }))).toEqual([
      'unbooked',
    ]);
  });

  it('finds a database that is not whole, in any folder, and none that is empty', async () => {
    const entries = stored(`${REQUESTS} CREATE INDEX one ON requests (idempotency_key)`);
    const whole = entries[0]?.data ?? Buffer.alloc(0);
    const torn = Buffer.from(whole);
    torn.fill(0xee, 4096, 4196);
    const short = whole.subarray(0, whole.length - 4096);
    const file = (data: Buffer): Recorded =>
      left([
        { path: 'd', data: null },
        { path: 'd/s.db', data },
        { path: 'x.txt', data: torn },
      ]);
    const asked = async (data: Buffer): Promise<string[]> => {
      const what = { ...file(data), calls: inOrder([{ kind: 'told', text: '' }]) };
      return found(await judged(stageOf({}).stage, what, { cheap: 1 }));
    };
    expect(await asked(whole)).toEqual([]);
    expect(await asked(Buffer.alloc(0))).toEqual([]);
    expect(await asked(torn)).toEqual(['damaged']);
    expect(await asked(short)).toEqual(['damaged']);
    expect(await asked(Buffer.from('no database, but long enough to be read as one'.repeat(20)))).toEqual([
      'damaged',
    ]);
  });
});

describe('what a person finds who goes on', () => {
  const TOLD: What = { kind: 'told', text: 'said ' };

  it.each(['twice', 'lost', 'lied', 'refused', 'unsettled'] as const)(
    'counts a state once: %s',
    async (fault) => {
      const { stage } = stageOf({ recover: () => Promise.resolve({ ...clean(), [fault]: 3 }) });
      const { counts, findings } = await examine(stage, recorded([TOLD]), {
        ...{ cheap: 0, dear: 1, random: fractions(1) },
      });
      expect(counts).toEqual({ ...nothingCounted(), dear: 1, strict: counts.strict, [fault]: 1 });
      expect(findings).toMatchObject([{ scenario: 'made up', faults: `3 ${fault}`, call: '0 told' }]);
    },
  );

  it.each([
    ['strict', []],
    ['ordered', ['refused']],
  ] as const)('counts who stopped, with %s names: faults %j', async (mode, faults) => {
    const { stage } = stageOf({ recover: () => Promise.resolve({ ...clean(), stopped: 1 }) });
    const plan: Plan = { cheap: 0, dear: 1, random: fractions(1), modes: [mode] };
    const { counts, findings } = await examine(stage, recorded([TOLD]), plan);
    expect([counts.stopped, found(counts), findings.length]).toEqual([1, faults, faults.length]);
  });

  it('takes a recovery that nobody could read for refused', async () => {
    const plan = { cheap: 0, dear: 1, random: fractions(1) };
    const { counts, findings } = await examine(stageOf({}).stage, recorded([TOLD]), plan);
    expect([found(counts), findings[0]?.notes]).toEqual([['refused'], ['Error: nobody recovers']]);
  });

  it('gives them what had been said and accepted by then, and the service what had arrived', async () => {
    const seen: string[] = [];
    const { stage, world } = stageOf({
      recover: ({ told, accepted }) => {
        seen.push(`${told}| ${accepted.join()} | ${world.arrivals.map(({ key }) => key).join()}`);
        return Promise.resolve(clean());
      },
    });
    const whats = [create('f'), sent('k1'), TOLD, { kind: 'told', text: 'more ' } as const];
    const arrivals = [arrival('k0', 'r', 0), arrival('k1', 'r', 15)];
    const rest = { initial: arrivals.slice(0, 1), arrivals, accepted: [{ id: 'e', at: 25 }] };
    await examine(stage, recorded(whats, rest), { cheap: 0, dear: 30, random: fractions(1) });
    expect([...new Set(seen)].toSorted()).toEqual([
      ...['said more | e | k0,k1', 'said |  | k0,k1', '|  | k0', '|  | k0,k1'],
    ]);
  });

  async function going(
    does: (world: Fake, words: readonly string[]) => Partial<Run>,
    told = '',
  ): Promise<string[]> {
    const { stage } = stageOf(SCENARIOS['create shown'] ?? {}, does);
    const whats: What[] = told === '' ? [create('f')] : [{ kind: 'told', text: told }];
    return found(await judged(stage, recorded(whats), { dear: 1 }));
  }
  const isCreate = (words: readonly string[]): boolean => words[0] === 'payouts';

  it('finds nothing wrong with a create that is paid once', async () => {
    const once = (world: Fake, words: readonly string[]): Partial<Run> => {
      if (isCreate(words)) world.pay('a', 'one');
      return {};
    };
    expect(await going(once)).toEqual([]);
  });

  it('finds what was paid twice, lost, said and not so, refused', async () => {
    const twice = (world: Fake): Partial<Run> => (world.pay('a', 'one'), {});
    expect(await going((world) => twice(world))).toEqual(['twice']);
    expect(await going(() => ({}))).toEqual(['lost']);
    expect(await going(() => ({ code: 16 }))).toEqual(['lost', 'refused']);
    const shown = `{"id": "${ID}"}`;
    expect(await going((world, words) => (isCreate(words) ? twice(world) : {}), shown)).toEqual(['lied']);
  });
});

describe('which states are examined', () => {
  const many = recorded(Array.from({ length: 9 }, (_, at) => create(`f${String(at)}`)));
  const recover: Scenario['recover'] = () => Promise.resolve(clean());

  it('are as many as were asked for, cheap and dear', async () => {
    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const counts = await judged(stageOf({ recover }).stage, many, {
        ...{ cheap: 8, dear: 4, random: fractions(seed) },
      });
      expect([counts.cheap, counts.dear], `seed ${String(seed)}`).toEqual([8, 4]);
    }
  });

  it('are each another one, as few as there are', async () => {
    const counts = await judged(stageOf({}).stage, recorded([create('f')]), { cheap: 50 });
    expect(counts.cheap).toBe(2);
  });

  it('are recovered from first where there are few', async () => {
    const counts = await judged(stageOf({ recover }).stage, recorded([create('f')]), { cheap: 50, dear: 2 });
    expect([counts.cheap, counts.dear]).toEqual([0, 2]);
  });

  it('are of the modes that were asked for', async () => {
    const strict = await judged(stageOf({}).stage, many, { cheap: 10, modes: ['strict'] });
    const ordered = await judged(stageOf({}).stage, many, { cheap: 6, modes: ['ordered'] });
    expect([strict.strict, ordered.strict]).toEqual([10, 0]);
  });

  it('end at the first finding where one is enough, and are shown with it', async () => {
    const shown: number[] = [];
    const plan = { cheap: 0, dear: 10, random: fractions(1) };
    const onFinding: Plan['onFinding'] = (_, entries) => shown.push(entries.length);
    const all = await examine(stageOf({}).stage, many, { ...plan, onFinding });
    expect([all.findings.length, shown.length]).toEqual([10, 10]);
    const first = await examine(stageOf({}).stage, many, {
      ...plan,
      random: fractions(1),
      isFirstEnough: true,
    });
    expect(first.findings).toEqual(all.findings.slice(0, 1));
  });
});

describe('what the service has by then', () => {
  const calls = inOrder([sent('k1'), sent('k2'), create('f'), sent('k3')]);
  const arrivals = [
    arrival('k0', 'r'),
    arrival('k1', 'r', 5),
    arrival('k2', 'r', 25),
    arrival('k3', 'r', 35),
  ];
  const run = { calls, arrivals, initial: arrivals.slice(0, 1) };

  it('had left from the beginning of its sending', () => {
    expect([...keysLeftBy(calls, -1)]).toEqual([]);
    expect([...keysLeftBy(calls, 1)]).toEqual(['k1', 'k2']);
  });

  it('is what it had noted, and by lot what had left and was not noted yet', () => {
    const random = fractions(2);
    const outcomes = (index: number): string[] =>
      [
        ...new Set(
          Array.from({ length: 60 }, () =>
            arrivedBy(run, index, random)
              .map(({ key }) => key)
              .join(),
          ),
        ),
      ].toSorted();
    expect(outcomes(0)).toEqual(['k0', 'k0,k1']);
    expect(outcomes(2)).toEqual(['k0,k1', 'k0,k1,k2']);
    expect(outcomes(3)).toEqual(['k0,k1,k2', 'k0,k1,k2,k3']);
  });
});
