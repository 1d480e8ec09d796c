import { beforeAll, describe, expect, it } from 'vitest';
import { deriveKey } from '../../../src/payments/known/key.js';
import { SENDABLE } from '../../../src/storage/batches/row-state.js';
import type { Batch, BatchStore } from '../../../src/storage/batches/batch-store.js';
import type { RowResult } from '../../../src/storage/batches/row.js';
import type { StatePlace } from '../../../src/storage/postgres/place.js';
import { lineTo } from '../../support/line.js';
import { openDatabaseHere } from '../../support/postgres.js';
import { FACTS, planned, plannedRow, totalsOf } from './given.js';
import { NEVER, openPostgres } from './opening.js';
import { claimedAt } from '../../support/moments.js';

const server = await openDatabaseHere();

const ROWS = [100n, 250n, 7n, 50n, 3n].map((minor, number) => plannedRow(number, minor));
const MORE = { ...FACTS, name: 'more' };
const MORE_ROWS = [1n, 2n].map((minor, number) => plannedRow(number, minor, MORE, `more-${String(number)}`));
const settled = { sentAtMs: 5, operation: 'op', status: 'x', operationAtMs: 6, code: null, detail: null };
const result = (number: number, state: RowResult['state']): RowResult => ({ ...settled, number, state });
const word = { number: 2, decision: 'not_paid', state: 'failed' } as const;
const decided = { ...word, operation: null, decidedAtMs: 9 };

interface Given {
  readonly store: BatchStore;
  readonly batch: Batch;
  readonly plan: number;
  readonly changes: number;
}

const WRITES: Readonly<Record<string, (given: Given) => Promise<unknown>>> = {
  begin: ({ store }) => store.begin({ ...FACTS, name: 'new' }).then(() => 'begun'),
  'begin in place of its own plan': ({ store }) => store.begin(MORE).then(() => 'begun'),
  add: ({ store, plan }) => store.add(plan, MORE_ROWS.slice(1)),
  finish: ({ store, plan, changes }) => store.finish(plan, totalsOf(MORE_ROWS), changes),
  'finish after others': ({ store, plan, changes }) => store.finish(plan, totalsOf(MORE_ROWS), changes - 1),
  announce: ({ store, changes }) => store.announce(changes),
  'announce after others': ({ store, changes }) => store.announce(changes - 1),
  discard: ({ store, batch }) => store.discard(batch.id),
  dropUnsent: ({ store, batch }) => store.dropUnsent(batch.id),
  confirm: ({ store, batch }) => store.confirm(batch.id, 11, new Map()),
  sign: ({ store, batch }) =>
    store.sign(batch.id, [{ name: 'ana.sig', bytes: Buffer.from('ana'), signer: 'ana@example.com' }]),
  own: ({ store, batch }) => store.setCompany(batch.id, 'company-2'),
  join: ({ store, batch }) => store.join(batch.id, 'alone').then((worker) => worker?.lateResults),
  'join at a rate, in spite of what stopped it': ({ store, batch }) =>
    store
      .join(batch.id, 'send', { ratePerSecond: 5, clearsStop: true })
      .then((worker) => [worker?.lateResults, worker?.ratePerSecond]),
  trust: ({ store, batch }) => store.trustServer(batch.id, { cluster: 'another', timeline: 3 }),
  'exchange of results': ({ store, batch }) =>
    store.exchange(batch.id, [{ ...result(3, 'unavailable'), sentAtMs: null }], null),
  'exchange for rows': async ({ store, batch }) =>
    [...(await store.exchange(batch.id, [], { after: -1, count: 9, states: SENDABLE, ...claimedAt(7) }))].map(
      ({ stateBefore: _before, sentMoment: { sharedMs: _sharedMs, ...left }, ...row }) => ({ ...row, left }),
    ),
  renew: async ({ store, batch }) => {
    const [row] = await store.peek(batch.id, { after: -1, count: 1, states: ['failed'] });
    const key = deriveKey({ ...FACTS, reference: 'r-1', follows: null, generation: 2 });
    await store.renew(batch.id, [{ ...row!, generation: 2, key, seal: Buffer.alloc(0) }]);
    return store.peek(batch.id, { after: -1, count: 9, states: ['planned'] });
  },
  decide: ({ store, batch }) =>
    store.decide(batch.id, { ...result(2, 'failed'), operation: null, status: null }, decided),
  'decide that it still waits': ({ store, batch }) => store.decide(batch.id, result(2, 'unknown'), decided),
  dropBodies: ({ store, batch }) =>
    store.dropBodies(batch.id, { states: ['confirmed', 'failed'], after: -1, count: 2 }),
  swept: ({ store, batch }) => store.noteSwept(batch.id, 12),
  dropPlans: ({ store }) => store.dropPlans(FACTS.createdAtMs + 1),
};

const OUT = 'batch,worker,token,last,lease_until,seen_at,started_at,ended_at,left_at,decision_id,next_slot';
const DUMP = ['batches', 'rows', 'bodies', 'decisions', 'approvals', 'workers']
  .map(
    (table) =>
      `SELECT '${table}' AS table, (SELECT name FROM svc.batches b WHERE b.batch = t.batch) AS name, ` +
      `to_jsonb(t) - '{${OUT}}'::text[] AS record FROM svc.${table} t`,
  )
  .concat("SELECT 'changes', NULL, to_jsonb(t) - 'last' FROM svc.changes t")
  .join(' UNION ALL ');

describe.skipIf(server === null)('a write', () => {
  let place: StatePlace;
  beforeAll(async () => {
    place = await server!.place();
  });
  const sql = (place: StatePlace, text: string) => server!.queryIn(place, text);
  const done = async (
    write: (given: Given) => Promise<unknown>,
    [kind, nth]: readonly ['cut' | 'swallow' | 'none', number],
  ): Promise<{ answer: unknown; tables: unknown; cuts: number }> => {
    await sql(place, 'TRUNCATE svc.batches RESTART IDENTITY CASCADE; UPDATE svc.changes SET count = 0');
    const line = await lineTo(place.port);
    const store = await openPostgres({ ...place, port: line.port }, { ticker: NEVER, ages: 'caller' });
    try {
      const batch = await planned(store, ROWS);
      const states = ['confirmed', 'failed', 'needs_review'] as const;
      await store.exchange(
        batch.id,
        states.map((state, at) => result(at, state)),
        null,
      );
      const plan = await store.begin(MORE);
      await store.add(plan, MORE_ROWS);
      const given = { store, batch, plan, changes: await store.changes() };
      if (kind !== 'none') line[kind](1, nth);
      const answer = await write(given);
      line.cut(0);
      line.swallow(0);
      const tables = (await sql(place, DUMP)).map((record) => JSON.stringify(record)).toSorted();
      return { answer, tables, cuts: line.count() };
    } finally {
      await store.close();
      await line.stop();
    }
  };

  it.each(Object.entries(WRITES))('%s', async (_name, write) => {
    const { answer, tables } = await done(write, ['none', 0]);
    for (const kind of ['cut', 'swallow'] as const)
      for (let nth = 0; ; nth += 1) {
        const again = await done(write, [kind, nth]);
        if (again.cuts === 0) {
          expect(nth).toBeGreaterThan(0);
          break;
        }
        expect([kind, nth, again.answer, again.tables]).toEqual([kind, nth, answer, tables]);
      }
  });
});
