import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RowState, SENDABLE } from '../../../src/storage/batches/row-state.js';
import type { Batch, BatchStore } from '../../../src/storage/batches/batch-store.js';
import type { StateKey } from '../../../src/storage/postgres/key.js';
import type { StatePlace } from '../../../src/storage/postgres/place.js';
import { referenceMark } from '../../../src/contract/marks.js';
import { openDatabaseHere } from '../../support/postgres.js';
import { FACTS, planned, plannedRow } from './given.js';
import { failing, KEY, openPostgres, renewed } from './opening.js';
import { claimedAt } from '../../support/moments.js';

const server = await openDatabaseHere();

const [OLD_MS, YOUNG_MS] = [1_790_000_000_000, 1_790_600_000_000];
const rows = (name: string) =>
  [0, 1, 2, 3].map((number) => plannedRow(number, 100n, FACTS, `${name}-${String(number)}`));
const claim = (nowMs: number, count = 9) => ({ after: -1, count, states: SENDABLE, ...claimedAt(nowMs) });
const facts = { operation: null, status: null, operationAtMs: null, code: 'no_answer', detail: null };
const result = (number: number, state: RowState, sentAtMs: number) => ({ ...facts, number, state, sentAtMs });

describe.skipIf(server === null)('the moment at which a row left', () => {
  let place: StatePlace;
  let batch: Batch;
  const stores: BatchStore[] = [];
  const open = async (key: StateKey | null = KEY): Promise<BatchStore> => {
    const one = await openPostgres(place, { key, patienceMs: 0, ages: 'caller' });
    stores.push(one);
    return one;
  };
  const bury = () => sql('UPDATE svc.workers SET ended_at = clock_timestamp()');
  const end = () => Promise.all(stores.splice(0).map((one) => one.close()));
  const sql = (text: string): Promise<unknown> => server!.queryIn(place, text);
  const leave = async (key: StateKey | null): Promise<void> => {
    place = await server!.place(key);
    const first = await open(key);
    batch = await planned(first, rows('m'), { ...FACTS, name: 'march' });
    await first.exchange(batch.id, [], claim(OLD_MS, 2));
    await first.exchange(batch.id, [result(0, 'unknown', OLD_MS)], null);
    await end();
    await bury();
    const second = await open(key);
    await second.exchange(batch.id, [], { ...claim(YOUNG_MS), after: 1, count: 1 });
    await end();
    await bury();
  };
  beforeEach(() => leave(KEY));
  afterEach(end);
  const take = async (key: StateKey | null = KEY): Promise<[string, number][]> =>
    [...(await (await open(key)).exchange(batch.id, [], claim(YOUNG_MS + 1)))].map((row) => [
      row.reference,
      row.sentAtMs,
    ]);
  const MOMENTS = [OLD_MS, OLD_MS, YOUNG_MS, YOUNG_MS + 1];
  const ALL = MOMENTS.map((ms, at): [string, number] => [`m-${at}`, ms]);

  it('stays the first, whoever takes the row next', async () => {
    expect(await take()).toEqual(ALL);
    await end();
    await bury();
    expect(await take()).toEqual(ALL);
  });

  const copied = (from: number, to: number, columns: readonly string[]): string =>
    `UPDATE svc.rows r SET ${columns.map((name) => `${name} = o.${name}`).join(', ')} FROM svc.rows o ` +
    `WHERE r.number = ${String(to)} AND o.batch = r.batch AND o.number = ${String(from)}`;
  const set = (change: string): string => `UPDATE svc.rows SET ${change} WHERE number = 0`;
  const TIMES = ['sent_at', 'left_at'];
  it.each<[string, string]>([
    ['was set', set(`sent_at = ${String(YOUNG_MS)}, left_at = left_at + 99999999`)],
    ['is a millisecond later', set('sent_at = sent_at + 1')],
    ['is by other clocks', set("sent_clocks = 'x'")],
    ['is that of another row', copied(2, 0, TIMES)],
    ['is that of another row, with its stamp', copied(2, 0, [...TIMES, 'left_seal'])],
    ['is that of a row of the same moment, with its stamp', copied(1, 0, [...TIMES, 'left_seal'])],
    ['has no clocks', set('sent_clocks = NULL')],
    ['has the clocks of another moment', copied(2, 0, ['sent_clocks'])],
    ['has no stamp', set('left_seal = NULL')],
    ['has half a stamp', set('left_seal = substring(left_seal FOR 40)')],
    ['has the stamp of another exchange', set('left_seal = set_byte(left_seal, 15, 77)')],
    ['has the stamp of another worker', set('left_seal = set_byte(left_seal, 7, 77)')],
  ])('%s: nothing leaves, and a person is asked', async (_how, change) => {
    await sql(change);
    const line = 'svc batches resolve --reference m-0 --operation ID march';
    const message = expect.stringContaining(line) as string;
    await expect(take()).rejects.toMatchObject({ ...failing(16, 'store_damaged'), message });
    const store = await open();
    await expect(store.peek(batch.id, claim(0))).rejects.toThrow('left is not what was written');
    const shown = await store.rows(batch.id, -1, 9);
    const said = shown.map(({ state, sentAtMs }) => `${state} ${sentAtMs}`);
    expect(said).toEqual(['intent null', `intent ${OLD_MS}`, `intent ${YOUNG_MS}`, 'planned null']);
    expect(await store.rowOfMark(batch.id, referenceMark('m-0'))).toMatchObject({ sentAtMs: null });
  });

  it('that the events said is kept as well, and is held to that', async () => {
    const store = await open();
    await store.exchange(batch.id, [{ ...result(3, 'unknown', OLD_MS + 5), stateBefore: 'planned' }], null);
    const said = [...ALL.slice(0, 3), ['m-3', OLD_MS + 5]];
    expect(await take()).toEqual(said);
    await end();
    await bury();
    await sql(`UPDATE svc.rows SET sent_at = ${String(YOUNG_MS)} WHERE number = 3`);
    await expect(take()).rejects.toThrow('--reference m-3');
  });

  it('is forgotten with the try that it was of', async () => {
    const store = await open();
    const failed = { ...result(0, 'failed', OLD_MS), status: 'failed', operation: 'op' };
    await store.exchange(batch.id, [failed], null);
    await sql('UPDATE svc.rows SET sent_at = 1 WHERE number = 0');
    expect(await renewed(batch, store)).toHaveLength(1);
    await end();
    const again = await take();
    expect(again[0]).toEqual(['m-0', YOUNG_MS + 1]);
    await end();
    await bury();
    expect((await take())[0]).toEqual(['m-0', YOUNG_MS + 1]);
  });

  it('has no stamp without a key, and counts as it stands', async () => {
    await end();
    await leave(null);
    expect(await take(null)).toEqual(ALL);
    expect(await server!.queryIn(place, 'SELECT 1 FROM svc.rows WHERE left_seal IS NOT NULL')).toEqual([]);
  });
});
