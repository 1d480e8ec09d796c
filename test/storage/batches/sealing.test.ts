import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deriveKey } from '../../../src/payments/known/key.js';
import { RETRIABLE, SENDABLE } from '../../../src/storage/batches/row-state.js';
import type { Batch, BatchStore } from '../../../src/storage/batches/batch-store.js';
import { sealsOf, type SealedBatch } from '../../../src/storage/batches/postgres/seal.js';
import { decryptRows } from '../../../src/storage/batches/postgres/exchange.js';
import type { Connection } from '../../../src/storage/postgres/connection.js';
import type { StateKey } from '../../../src/storage/postgres/key.js';
import type { StatePlace } from '../../../src/storage/postgres/place.js';
import { openDatabaseHere } from '../../support/postgres.js';
import { FACTS, planned, plannedRow } from './given.js';
import { failing, KEY, openPostgres, OTHER_KEY, renewed } from './opening.js';
import { claimedAt } from '../../support/moments.js';
import { sealOf } from '../../../src/storage/batches/seal.js';

const server = await openDatabaseHere();

const claim = { after: -1, count: 9, states: SENDABLE, ...claimedAt(7) };
const rowsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, number) => plannedRow(number, 100n, FACTS, `${name}-${String(number)}`));
const bodyOf = (reference: string, amount = '1.00') => JSON.stringify({ amount, reference });

const PLANNED = 'is not what was planned';
const MARCH: SealedBatch = { ...FACTS, name: 'march' };

describe('the seals of a batch', () => {
  const row = plannedRow(0, 100n);
  const body = Buffer.from(row.body);
  const closed = sealsOf(MARCH, KEY).seal(row, body);

  it('open what was closed', () => {
    expect(sealsOf(MARCH, KEY).unseal({ ...row, ...closed })).toEqual(body);
    const plain = sealsOf(MARCH, null).seal(row, body);
    expect(sealsOf(MARCH, null).unseal({ ...row, ...plain })).toEqual(body);
    expect(plain.body).toEqual(body);
  });

  it.each<{ readonly [name: string]: unknown; readonly body?: Buffer | undefined }>([
    ...[{ number: 1 }, { line: 3 }, { reference: 'r-1' }, { currency: 'USD' }, { amount: '2.00' }],
    ...[{ follows: 'op-1' }, { generation: 2 }, { key: 'other' }, { body: Buffer.from('{}') }],
  ])('hold %j', (changes) => {
    const anew = { ...row, ...changes };
    const { body: hidden } = sealsOf(MARCH, KEY).seal(anew, changes.body ?? body);
    for (const kept of changes.body === undefined ? [closed.body, hidden] : [hidden])
      expect(() => sealsOf(MARCH, KEY).unseal({ ...anew, seal: closed.seal, body: kept })).toThrow(PLANNED);
  });

  const OTHERS: Partial<SealedBatch>[] = [{ name: 'april' }, { environment: 'live' }, { direction: 'payin' }];
  it.each(OTHERS)('are of no other, with %j', (changes) => {
    expect(() => sealsOf({ ...MARCH, ...changes }, KEY).unseal({ ...row, ...closed })).toThrow();
    const blind = { ...KEY, seal: () => Buffer.from('same') };
    const torn = { ...row, body: closed.body, seal: Buffer.from('same') };
    expect(() => sealsOf({ ...MARCH, ...changes }, blind).unseal(torn)).toThrow();
    const plain = sealsOf(MARCH, null).seal(row, body);
    expect(() => sealsOf({ ...MARCH, ...changes }, null).unseal({ ...row, ...plain })).toThrow();
  });

  it('bind a body to its row and its try', () => {
    const same = Buffer.from('same');
    const torn = { ...row, body: closed.body, seal: same };
    const opened = (changes: object) => () =>
      sealsOf(MARCH, { ...KEY, seal: () => same }).unseal({ ...torn, ...changes });
    expect(opened({})()).toEqual(body);
    expect(opened({ number: 1 })).toThrow();
    expect(opened({ generation: 2 })).toThrow();
  });
});

describe('a row that is taken', () => {
  const seals = sealsOf(MARCH, KEY);
  const row = plannedRow(0, 100n);
  const body = Buffer.from(row.body);
  const of = (generation: number) => ({ ...row, generation, ...seals.seal({ ...row, generation }, body) });
  const absent = { sent_at: null, sent_clocks: null, left_at: null, left_seal: null, state: 'planned' };
  const lease = { batch: 1, worker: 2, seq: 3 };
  const over = (rows: object[]) => ({
    connection: { run: () => Promise.resolve({ rows, count: rows.length }) } as unknown as Connection,
    ...{ seals, lease, nowMs: 7 },
  });

  it('is read again where it came with the body of the try before: it began anew in that moment', async () => {
    const [before, now] = [of(1), of(2)];
    const torn = { ...now, ...absent, body: before.body };
    const [taken] = await decryptRows([torn], null, over([{ ...now, ...absent, state: 'intent' }]));
    expect(taken).toMatchObject({ generation: 2, stateBefore: 'intent' });
    expect(Buffer.from(taken!.body)).toEqual(body);
    await expect(decryptRows([torn], null, over([torn]))).rejects.toThrow(PLANNED);
  });
});

describe.skipIf(server === null)('a batch under a key', () => {
  let place: StatePlace;
  let store: BatchStore;
  let march: Batch;
  let april: Batch;
  const stores: BatchStore[] = [];
  const open = async (key: StateKey | null): Promise<BatchStore> => {
    const one = await openPostgres(place, { key, patienceMs: 0 });
    stores.push(one);
    return one;
  };
  beforeEach(async () => {
    place = await server!.place(KEY);
    store = await open(KEY);
    march = await planned(store, rowsOf('m', 3), { ...FACTS, name: 'march' });
    april = await planned(store, rowsOf('a', 2), { ...FACTS, name: 'april' });
  });
  afterEach(() => Promise.all(stores.splice(0).map((one) => one.close())));
  const sql = (text: string, values: unknown[] = []) => server!.queryIn(place, text, values);
  const damaged = failing(16, 'store_damaged');
  const takenIn = async (batch: Batch): Promise<string[]> =>
    [...(await store.exchange(batch.id, [], claim))].map(({ body }) => Buffer.from(body).toString());

  it('is taken as it was planned, and no body of it can be read in the tables', async () => {
    expect(await takenIn(march)).toEqual([0, 1, 2].map((number) => bodyOf(`m-${String(number)}`)));
    const bodies = await sql('SELECT body FROM svc.bodies');
    expect(bodies).toHaveLength(5);
    for (const { body } of bodies) expect((body as Buffer).includes('amount')).toBe(false);
  });

  const forged = sealOf({ ...plannedRow(1, 100n, FACTS, 'm-1'), amount: '9.00' });
  const anotherKey = deriveKey({ ...FACTS, reference: 'm-1', follows: 'op-1', generation: 1 });
  const row = (change: string, ...values: unknown[]) =>
    sql(`UPDATE svc.rows SET ${change} WHERE reference = 'm-1'`, values);
  const bodyIs = (value: string, ...values: unknown[]) =>
    sql(`UPDATE svc.bodies SET body = ${value} WHERE batch = $1 AND number = 1`, [march.id, ...values]);
  const bodyOfOther = (batch: string, where: string) =>
    sql(
      `UPDATE svc.bodies b SET body = o.body FROM svc.bodies o WHERE b.batch = $1 AND o.batch = ${batch} AND ${where}`,
      [march.id, ...(batch === '$2' ? [april.id] : [])],
    );
  it.each<[string, () => Promise<unknown>]>([
    ['an amount', () => row("amount = '9.00'")],
    ['an amount, and the seal', () => row("amount = '9.00', seal = $1", forged)],
    ['a key', () => row('key = $1', anotherKey)],
    ['a body, in the clear', () => bodyIs('$2', Buffer.from(bodyOf('m-1', '9.00')))],
    ['a bit of a body', () => bodyIs('set_byte(body, 20, get_byte(body, 20) # 1)')],
    ['two bodies of it', () => bodyOfOther('$1', 'b.number + o.number = 3 AND b.number IN (1, 2)')],
    ['a body and that of another batch', () => bodyOfOther('$2', 'b.number = 1 AND o.number = 1')],
    ['a body that is gone', () => sql(`DELETE FROM svc.bodies WHERE batch = $1 AND number = 1`, [march.id])],
    [
      'a row, which is another number of it',
      async () => {
        await row('number = 7');
        await sql(`UPDATE svc.bodies SET number = 7 WHERE batch = $1 AND number = 1`, [march.id]);
      },
    ],
    [
      'a row, which is one of another batch',
      async () => {
        await sql(`UPDATE svc.rows SET batch = $1, number = 1 WHERE reference = 'a-1'`, [april.id]);
        await sql(`DELETE FROM svc.rows WHERE reference = 'm-1'`);
        await sql(`UPDATE svc.rows SET batch = $1 WHERE reference = 'a-1'`, [march.id]);
        await sql(`DELETE FROM svc.bodies WHERE batch = $1 AND number = 1`, [march.id]);
        await sql(`UPDATE svc.bodies SET batch = $1 WHERE batch = $2 AND number = 1`, [march.id, april.id]);
      },
    ],
    ['its direction', () => sql(`UPDATE svc.batches SET direction = 'payin' WHERE name = 'march'`)],
    [
      'the names of two batches',
      async () => {
        await sql(`UPDATE svc.batches SET name = 'may' WHERE name = 'march'`);
        await sql(`UPDATE svc.batches SET name = 'march' WHERE name = 'april'`);
        await sql(`UPDATE svc.batches SET name = 'april' WHERE name = 'may'`);
      },
    ],
  ])('does not leave where somebody changed %s', async (_what, change) => {
    await change();
    store = await open(KEY);
    await expect(takenIn(march)).rejects.toMatchObject(damaged);
    await expect(store.peek(march.id, claim)).rejects.toMatchObject(damaged);
    await expect(takenIn(march)).rejects.toThrow('svc batches drop');
    const rows = await store.rows(march.id, -1, 9);
    for (const one of rows) expect(one).toMatchObject({ state: 'planned', sentAtMs: null });
    expect(await store.dropUnsent(march.id)).toBe(rows.length);
  });

  it('keeps what may have left where it was, whoever finds a row damaged', async () => {
    await store.exchange(march.id, [], { ...claim, count: 1 });
    await sql(`UPDATE svc.rows SET amount = '9.00' WHERE reference = 'm-1'`);
    await sql('UPDATE svc.workers SET ended_at = clock_timestamp()');
    const heir = await open(KEY);
    await expect(heir.exchange(march.id, [], claim)).rejects.toMatchObject(damaged);
    const states = (await heir.rows(march.id, -1, 9)).map(({ state, sentAtMs }) => `${state} ${sentAtMs}`);
    expect(states).toEqual(['intent 7', 'planned null', 'planned null']);
  });

  it('is sealed anew where a row starts anew, and so is its body', async () => {
    const failed = { operation: 'op', status: 'failed', operationAtMs: 6, code: 'x', detail: null };
    await takenIn(march);
    await store.exchange(march.id, [{ ...failed, sentAtMs: 5, number: 1, state: 'failed' }], null);
    const before = await sql('SELECT body FROM svc.bodies WHERE batch = $1 AND number = 1', [march.id]);
    expect(await renewed(march, store)).toHaveLength(1);
    const [row] = await store.peek(march.id, { after: 0, count: 1, states: ['planned'] });
    expect(row).toMatchObject({ number: 1, generation: 2 });
    expect(Buffer.from(row!.body).toString()).toBe(bodyOf('m-1'));
    await bodyIs('$2', before[0]!['body']);
    await expect(store.peek(march.id, { ...claim, states: ['planned'] })).rejects.toMatchObject(damaged);
    expect(await store.peek(march.id, { ...claim, states: RETRIABLE })).toEqual([]);
  });

  it('is opened with its key and no other', async () => {
    await expect(open(OTHER_KEY)).rejects.toMatchObject(failing(16, 'state_key_differs'));
    await expect(open(null)).rejects.toMatchObject(failing(13, 'state_key_missing'));
    await sql('UPDATE svc.meta SET key_check = NULL');
    await expect(open(KEY)).rejects.toMatchObject(failing(16, 'state_key_differs'));
    const plain = await open(null);
    await expect(plain.exchange(march.id, [], claim)).rejects.toMatchObject(damaged);
    await sql("UPDATE svc.meta SET environment = 'live'");
    await expect(open(null)).rejects.toMatchObject(failing(13, 'state_key_missing'));
  });
});
