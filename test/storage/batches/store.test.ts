import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deriveKey } from '../../../src/payments/known/key.js';
import { ROW_STATES, type RowState, SENDABLE } from '../../../src/storage/batches/row-state.js';
import type { Batch, BatchStore } from '../../../src/storage/batches/batch-store.js';
import type { RowResult } from '../../../src/storage/batches/row.js';
import { openBatchStore } from '../../../src/storage/batches/sqlite-store.js';
import { threadedStore } from '../../../src/storage/batches/threaded-store.js';
import { assertBalanced, counts, moneyByCurrency } from '../../../src/storage/batches/tally.js';
import { referenceMark } from '../../../src/contract/marks.js';
import { threadStarter } from '../../../src/runtime/thread.js';
import { ROOT } from '../../house/source.js';
import { openDatabaseHere } from '../../support/postgres.js';
import { FACTS, planned, plannedRow, totalsOf } from './given.js';
import { KEY, openPostgres, renewed, statesOf } from './opening.js';
import { claimedAt } from '../../support/moments.js';
import { testFolder } from '../../support/test-folder.js';
import { sealOf } from '../../../src/storage/batches/seal.js';

const folder = testFolder();
let files = 0;
const newFile = (): string => join(folder, `batches-${(files += 1)}.db`);

const result = (number: number, changes: Partial<RowResult> = {}): RowResult => ({
  ...{ number, state: 'confirmed', sentAtMs: 5, operation: `op-${number}`, status: 'confirmed' },
  ...{ operationAtMs: 6, code: null, detail: null, ...changes },
});
const AMOUNTS = [100n, 250n, 1_000_000_000_000_000_000n - 1n, 7n, 50n];
const ROWS = AMOUNTS.map((minor, number) => plannedRow(number, minor));

const startThread = threadStarter({ source: join(ROOT, 'dist/thread.cjs'), isCode: false });

function openInThread(file: string): BatchStore {
  return threadedStore(openBatchStore(file), file, startThread);
}

const server = await openDatabaseHere();

const STORES: [string, () => BatchStore | Promise<BatchStore>][] = [
  ['in SQLite', () => openBatchStore(newFile())],
  ['in SQLite, with its exchanges in a thread', () => openInThread(newFile())],
];
if (server !== null)
  STORES.push(
    ['in PostgreSQL', async () => openPostgres(await server.place(), { ages: 'caller' })],
    [
      'in PostgreSQL, under a key and with what a worker may do there',
      async () => openPostgres(await server.place(KEY, 'worker'), { ages: 'caller', key: KEY }),
    ],
  );

describe.each(STORES)('a store %s', (_name, open) => {
  let store: BatchStore;
  let batch: Batch;
  afterEach(() => store.close());
  beforeEach(async () => {
    store = await open();
    batch = await planned(store, ROWS);
  });
  const keyOf = (reference: string, generation: number) =>
    deriveKey({ ...FACTS, reference, follows: null, generation });
  const claim = { after: -1, count: 2, states: SENDABLE, ...claimedAt(7) };
  const drop = (states: readonly RowState[], after: number, count: number) =>
    store.dropBodies(batch.id, { states, after, count });

  it('keeps what was planned', async () => {
    expect(batch).toMatchObject({ ...FACTS, rows: 5, confirmedAtMs: null });
    expect(batch.currencies.get('VES')).toEqual({ decimals: 2, rows: 5, minor: 1_000_000_000_000_000_406n });
    expect(await store.find('other')).toBeNull();
    const totals = new Map([['VES', { rows: 5, total: '1.00' }]]);
    await store.confirm(batch.id, 9, totals);
    await store.confirm(batch.id, 10, new Map());
    expect(await store.list()).toMatchObject([{ name: 'pay', confirmedAtMs: 9, confirmation: { totals } }]);
  });

  it('keeps signatures of the plan file, each once, and drops them with their batch', async () => {
    const [maker, ana] = [Buffer.from('maker'), Buffer.from('ana')];
    await store.sign(batch.id, [
      { name: 'pay.plan.maker.sig', bytes: maker, signer: null },
      { name: 'pay.plan.ana.sig', bytes: ana, signer: 'ana@example.com' },
    ]);
    await store.sign(batch.id, [{ name: 'copy.sig', bytes: ana, signer: 'bob@example.com' }]);
    const kept = await store.signatures(batch.id);
    expect(kept.map(({ name, bytes, signer }) => [name, Buffer.from(bytes).toString(), signer])).toEqual([
      ['pay.plan.ana.sig', 'ana', 'ana@example.com'],
      ['pay.plan.maker.sig', 'maker', null],
    ]);
    const other = await planned(store, [plannedRow(0, 1n)], { ...FACTS, name: 'plain', approval: null });
    expect(other.approval).toBeNull();
    expect(await store.signatures(other.id)).toEqual([]);
    await store.discard(batch.id);
    expect(await store.signatures(batch.id)).toEqual([]);
  });

  it('takes rows in their order, each once, with their bytes', async () => {
    const first = [...(await store.exchange(batch.id, [], claim))];
    const taken = { stateBefore: 'planned', sentAtMs: 7 };
    expect(first).toMatchObject([
      { ...taken, number: 0 },
      { ...taken, number: 1 },
    ]);
    expect(Buffer.from(first[1]!.body).toString()).toBe('{"amount":"2.50","reference":"r-1"}');
    expect(await statesOf(store, batch)).toEqual(['intent', 'intent', 'planned', 'planned', 'planned']);
    const ended = [result(0), result(1, { state: 'unknown' })];
    const next = await store.exchange(batch.id, ended, { ...claim, after: 1, count: 9 });
    expect([...next].map(({ number }) => number)).toEqual([2, 3, 4]);
  });

  it('takes no other rows than those that are named, and of them those that are free', async () => {
    const only = async (...rowNumbers: readonly number[]): Promise<number[]> =>
      Array.from(await store.exchange(batch.id, [], { ...claim, count: 9, rowNumbers }), (row) => row.number);
    expect(await only(1, 3, 9)).toEqual([1, 3]);
    await store.exchange(batch.id, [result(1), result(3)], null);
    expect(await only(1, 2, 3)).toEqual([2]);
    expect(await only()).toEqual([]);
    expect(await statesOf(store, batch)).toEqual(['planned', 'confirmed', 'intent', 'confirmed', 'planned']);
  });

  it('keeps a row whole whose body is not ASCII', async () => {
    const body = JSON.stringify({ beneficiary: { name: 'José Ñandú 🙂' }, reference: 'é' });
    const fixed = { ...plannedRow(0, 100n, FACTS, 'é'), body };
    const other = await planned(store, [{ ...fixed, seal: sealOf(fixed) }], { ...FACTS, name: 'accents' });
    const [row] = [...(await store.exchange(other.id, [], claim))];
    expect(Buffer.from(row!.body)).toEqual(Buffer.from(body));
    expect(row).toMatchObject({ reference: 'é', key: keyOf('é', 1) });
  });

  it('keeps when a row first left, whoever takes it again', async () => {
    await store.exchange(batch.id, [], claim);
    await store.exchange(batch.id, [result(1, { state: 'unavailable', sentAtMs: null })], null);
    const again = [...(await store.exchange(batch.id, [], { ...claim, ...claimedAt(99) }))];
    const said = again.map(({ stateBefore, sentAtMs }) => `${stateBefore} ${sentAtMs}`);
    expect(said).toEqual(['intent 7', 'unavailable 99']);
  });

  it('counts rows and money exactly, however large', async () => {
    await store.exchange(batch.id, [result(2), result(3, { state: 'failed', code: 'rejected' })], null);
    const tally = await store.tally(batch.id);
    assertBalanced(batch, tally);
    expect(counts(tally)).toMatchObject({ confirmed: 1, failed: 1, not_sent: 3, unknown: 0 });
    const money = { total: '10000000000000004.06', confirmed: '9999999999999999.99' };
    const VES = { ...money, failed: '0.07', not_sent: '4.00' };
    expect(moneyByCurrency(batch, tally)).toMatchObject({ VES });
    expect((await store.largest(batch.id, 2, ROW_STATES)).map(({ number }) => number)).toEqual([2, 1]);
    const unbalanced = { ...batch, ...totalsOf(ROWS.slice(1)) };
    expect(() => assertBalanced(unbalanced, tally)).toThrow('do not balance');
  });

  it('starts failed rows anew with another key, and rejected ones with their own', async () => {
    const rejected = result(1, { state: 'rejected', operation: null });
    await store.exchange(batch.id, [result(0, { state: 'failed' }), rejected, result(2)], null);
    expect(await renewed(batch, store)).toHaveLength(2);
    const rows = [...(await store.exchange(batch.id, [], { ...claim, count: 9 }))];
    const firsts = [1, 3, 4].map((number) => [number, 1, keyOf(`r-${number}`, 1)]);
    const keys = rows.map(({ number, generation, key }) => [number, generation, key]);
    expect(keys).toEqual([[0, 2, keyOf('r-0', 2)], ...firsts]);
  });

  it('keeps what a person decided, once, beside what it made of the row, whatever becomes of that', async () => {
    await store.exchange(batch.id, [result(1, { state: 'needs_review', operation: null })], null);
    const word = { number: 1, decision: 'not_paid', state: 'failed' } as const;
    const decided = { ...word, operation: null, decidedAtMs: 11 };
    await store.decide(batch.id, result(1, { state: 'failed', operation: null, code: 'not_paid' }), decided);
    expect((await store.rows(batch.id, 0, 1))[0]).toMatchObject({ state: 'failed', code: 'not_paid' });
    await expect(store.decide(batch.id, result(1), decided)).rejects.toThrow('waits for nobody');
    expect((await store.rows(batch.id, 0, 1))[0]).toMatchObject({ state: 'failed' });
    expect(await renewed(batch, store)).toHaveLength(1);
    expect(await store.decisions(batch.id)).toEqual([{ ...decided, generation: 1 }]);
    assertBalanced(batch, await store.tally(batch.id));
  });

  it('knows whose an operation is, and not who waits for word about it', async () => {
    const waiting = result(1, { state: 'needs_review', operation: 'op-0' });
    await store.exchange(batch.id, [result(0), waiting], null);
    const [row] = await store.rows(batch.id, -1, 1);
    const mark = Buffer.from(referenceMark(row!.reference)).toString('hex');
    const holder = { batch: 'pay', line: 2, operation: 'op-0', key: row!.key, referenceMark: mark };
    expect(await store.holders(['op-9', 'op-0'])).toEqual([holder]);
    expect(await store.holders(['op-9'])).toEqual([]);
  });

  it('removes the bodies of rows in some states, so many at a time, and of no others', async () => {
    await store.exchange(batch.id, [result(0), result(1), result(2, { state: 'failed' })], null);
    expect(await store.lacksBodies(batch.id, ['confirmed'])).toBe(false);
    expect(await drop(['confirmed'], -1, 1)).toEqual({ dropped: 1, last: 0 });
    expect(await drop(['confirmed'], 0, 3)).toEqual({ dropped: 1, last: 3 });
    expect(await drop(['confirmed'], 3, 3)).toEqual({ dropped: 0, last: 4 });
    expect(await drop(['confirmed'], 4, 3)).toEqual({ dropped: 0, last: null });
    expect(await store.lacksBodies(batch.id, ['confirmed'])).toBe(true);
    expect(await store.lacksBodies(batch.id, ['failed', 'planned'])).toBe(false);
    expect(await renewed(batch, store)).toHaveLength(1);
    expect(await store.exchange(batch.id, [], { ...claim, count: 9 })).toHaveLength(3);
    assertBalanced(batch, await store.tally(batch.id));
  });

  it('keeps the bodies of rows whose operation is pending: where it fails they are sent', async () => {
    const results = [
      result(0, { state: 'earlier', code: 'skipped_pending', status: 'pending' }),
      result(1, { state: 'earlier', code: 'older_payment', status: 'pending' }),
      result(2, { state: 'earlier', code: 'skipped_as_paid' }),
    ];
    await store.exchange(batch.id, results, null);
    expect(await drop(['confirmed', 'earlier'], -1, 9)).toMatchObject({ dropped: 1 });
    const failed = { state: 'failed', status: 'failed', stateBefore: 'earlier' } as const;
    await store.exchange(batch.id, [result(0, failed), result(1, failed)], null);
    expect(await store.lacksBodies(batch.id, ['failed'])).toBe(false);
    expect(await renewed(batch, store)).toHaveLength(2);
  });

  it('knows which batches are to be swept, and drops plans that never became batches', async () => {
    const bornMs = FACTS.createdAtMs;
    expect(await store.unswept(bornMs, 5)).toEqual([]);
    expect(await store.unswept(bornMs + 1, 5)).toEqual([batch.id]);
    await store.noteSwept(batch.id, 5);
    expect(await store.unswept(bornMs + 1, 4)).toEqual([]);
    expect(await store.unswept(bornMs + 1, 5)).toEqual([batch.id]);
    const half = await store.begin({ ...FACTS, name: 'half' });
    await store.add(half, ROWS);
    await store.dropPlans(bornMs);
    expect(await store.dropBodies(half, { states: [], after: -1, count: 9 })).toMatchObject({ last: 4 });
    await store.dropPlans(bornMs + 1);
    await store.finish(half, totalsOf(ROWS), await store.changes());
    expect(await store.list()).toMatchObject([{ name: 'pay', rows: 5 }]);
  });

  it('finds equal references, and equal accounts and amounts', async () => {
    const twin = { ...plannedRow(1, 100n, FACTS, 'other'), twinMark: ROWS[0]!.twinMark };
    const id = await store.begin({ ...FACTS, name: 'pairs' });
    await store.add(id, [ROWS[0]!, twin, { ...plannedRow(2, 5n, FACTS, 'R\u20130'), line: 9 }]);
    const first = { otherLine: 2, otherReference: 'r-0' };
    expect(await store.pairs(id, 'reference', 9)).toEqual([{ line: 9, reference: 'R\u20130', ...first }]);
    expect(await store.pairs(id, 'twin', 9)).toEqual([{ line: 3, reference: 'other', ...first }]);
  });

  it('finds the rows of other batches with a reference in any spelling, wherever they stand', async () => {
    const marks = ['R-0', 'r\u20131', 'nobody'].map((reference) => referenceMark(reference));
    const second = await store.begin({ ...FACTS, name: 'again' });
    await store.exchange(batch.id, [result(0, { state: 'rejected' }), result(1)], null);
    const rejected = { line: 2, state: 'rejected', follows: null, generation: 1, amount: '1.00' };
    const { code: _code, detail: _detail, number: _number, ...paid } = result(1);
    expect(await store.others(second, marks)).toMatchObject([
      { batch: 'pay', company: 'company-1', ...rejected },
      { batch: 'pay', line: 3, ...paid },
    ]);
    expect(await store.others(batch.id, marks)).toEqual([]);
    const live = await store.begin({ ...FACTS, name: 'live', environment: 'live' });
    expect(await store.others(live, marks)).toEqual([]);
    const payins = await store.begin({ ...FACTS, name: 'payins', direction: 'payin' });
    expect(await store.others(payins, marks)).toEqual([]);
    expect(await store.rowOfMark(batch.id, referenceMark('R-3'))).toMatchObject({ reference: 'r-3' });
    expect(await store.rowOfMark(batch.id, referenceMark('nobody'))).toBeNull();
    await store.discard(batch.id);
    expect(await store.others(second, marks)).toEqual([]);
  });

  it('finds rows by the beginning of their operation, and those that are new or were not final', async () => {
    const failed = { status: 'failed', state: 'failed', operationAtMs: null, sentAtMs: 10 } as const;
    const results = [
      result(0, { operation: 'ABCDEF01', operationAtMs: 90 }),
      result(1, { operation: 'abcdef02', ...failed }),
      result(2, { operation: 'abcdefab', state: 'accepted', status: 'pending', operationAtMs: 1 }),
      result(3, { operation: null, state: 'rejected', status: null }),
    ];
    await store.exchange(batch.id, results, null);
    const all = { idPrefix: '', sinceMs: null };
    const numbers = async (which: Parameters<BatchStore['operationRows']>[3], after = -1, count = 9) =>
      (await store.operationRows(batch.id, after, count, which)).map(({ number }) => number);
    expect(await numbers(all)).toEqual([0, 1, 2]);
    expect(await numbers(all, 0, 1)).toEqual([1]);
    expect(await numbers({ ...all, idPrefix: 'abcdef' })).toEqual([0, 1, 2]);
    expect(await numbers({ ...all, idPrefix: 'abcdef0' })).toEqual([0, 1]);
    expect(await numbers({ ...all, idPrefix: 'abcdef01%' })).toEqual([]);
    expect(await numbers({ ...all, sinceMs: 11 })).toEqual([0, 2]);
    expect(await numbers({ ...all, sinceMs: 10 })).toEqual([0, 1, 2]);
  });

  it('ends no plan and lets nothing leave that another batch has come before since', async () => {
    const seen = await store.changes();
    const first = await store.begin({ ...FACTS, name: 'first' });
    const second = await store.begin({ ...FACTS, name: 'second' });
    expect(await store.finish(first, totalsOf([]), seen)).toBe(true);
    expect(await store.finish(second, totalsOf([]), seen)).toBe(false);
    expect(await store.find('second')).toBeNull();
    expect(await store.announce(seen)).toBe(false);
    expect(await store.announce(seen + 1)).toBe(true);
    expect(await store.changes()).toBe(seen + 2);
  });

  it('drops what was never sent, and counts what is left', async () => {
    const unsent = result(1, { state: 'unavailable', sentAtMs: null, operation: null });
    await store.exchange(batch.id, [result(0), unsent, result(2, { state: 'failed' })], null);
    await renewed(batch, store);
    expect(await store.dropUnsent(batch.id)).toBe(4);
    const left = await store.find('pay');
    expect(await store.rows(batch.id, -1, 9)).toMatchObject([{ number: 0, state: 'confirmed' }]);
    expect(left).toMatchObject({ rows: 1 });
    assertBalanced(left!, await store.tally(batch.id));
    expect(await store.others(-1, [referenceMark('r-1')]).catch(String)).toContain('gone');
    expect(await store.rowOfMark(batch.id, referenceMark('r-1'))).toBeNull();
  });

  it('knows what it has paid, what is pending, and which rows were left out because that was asked for', async () => {
    const sender = { environment: 'sandbox', direction: 'payout', company: 'company-1' } as const;
    expect(await store.hasConfirmed(sender)).toBe(false);
    const results = [
      result(0, { state: 'accepted', status: 'pending' }),
      result(1, { state: 'earlier', code: 'skipped_as_paid' }),
      result(2, { state: 'earlier', code: 'skipped_pending', status: 'pending' }),
      result(3, { state: 'earlier', code: 'older_payment', status: 'pending' }),
      result(4, { sentAtMs: 40 }),
    ];
    await store.exchange(batch.id, results, null);
    expect(await store.hasConfirmed(sender)).toBe(true);
    expect(await store.hasConfirmed({ ...sender, environment: 'live' })).toBe(false);
    expect(await store.hasConfirmed({ ...sender, company: 'company-2' })).toBe(false);
    const money = [{ currency: 'VES', minor: 100n, decimals: 2 }];
    expect(await store.pendingMoney(sender)).toEqual(money);
    expect((await store.pendingRows(batch.id, -1, 9)).map(({ number }) => number)).toEqual([0, 2, 3]);
    const earlier = (await store.tally(batch.id)).filter(({ state }) => state === 'earlier');
    const said = earlier.map(({ isSkipped, reason, rows }) => `${isSkipped} ${reason} ${rows}`);
    expect(said.toSorted()).toEqual(['false null 1', 'true null 1', 'true skipped_pending 1']);
    assertBalanced(batch, await store.tally(batch.id));
  });

  it('forgets a plan that was not finished', async () => {
    const id = await store.begin({ ...FACTS, name: 'half' });
    await store.add(id, ROWS);
    expect(await store.find('half')).toBeNull();
    const again = await store.begin({ ...FACTS, name: 'half' });
    await store.add(again, ROWS.slice(0, 2));
    await store.finish(again, totalsOf(ROWS.slice(0, 2)), await store.changes());
    expect(await store.find('half')).toMatchObject({ rows: 2 });
    await store.discard(again);
    expect(await store.find('half')).toBeNull();
  });
});

it('leaves no byte of a removed body in any of its files', async () => {
  const file = newFile();
  const store = openBatchStore(file);
  const names = Array.from({ length: 200 }, (_, number) => `secret-name-${number}-`);
  const rows = names.map((name, number) => ({ ...plannedRow(number, 100n), body: name.repeat(9) }));
  const batch = await planned(store, rows);
  const results = rows.map(({ number }) => result(number));
  await store.exchange(batch.id, results, null);
  const bytes = (): string =>
    ['', '-wal', '-shm']
      .map((end) => (existsSync(file + end) ? readFileSync(file + end, 'latin1') : ''))
      .join();
  const seen = (): number => names.filter((name) => bytes().includes(name)).length;
  expect(seen()).toBe(200);
  const all = { states: ['confirmed'], after: -1, count: 999 } as const;
  expect(await store.dropBodies(batch.id, all)).toMatchObject({ dropped: 200 });
  // Looks while the store is open, because a kill now would leave the files in this state.
  expect(seen()).toBe(0);
  const dropped = await store.begin({ ...FACTS, name: 'dry' });
  await store.add(dropped, rows);
  await store.discard(dropped);
  await store.close();
  expect(seen()).toBe(0);
});

it('keeps the file from everybody else, and what was acknowledged when it is opened again', async () => {
  const file = newFile();
  const store = openBatchStore(file);
  const batch = await planned(store, ROWS);
  await store.exchange(batch.id, [result(0, { code: 'x', detail: 'y' })], null);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const other = openBatchStore(file);
  const [row] = await other.rows(batch.id, -1, 1);
  expect(row).toMatchObject({ state: 'confirmed', operation: 'op-0', code: 'x', detail: 'y' });
  await store.close();
  await other.close();
});

it('makes the index of operations in a file of before, when rows of it are about to leave', async () => {
  const file = newFile();
  const store = openInThread(file);
  const batch = await planned(store, ROWS);
  const db = new DatabaseSync(file);
  db.exec('DROP INDEX rows_operation');
  await store.exchange(batch.id, [], { after: -1, count: 1, states: SENDABLE, ...claimedAt(1) });
  expect(db.prepare("SELECT name FROM sqlite_schema WHERE name = 'rows_operation'").all()).toHaveLength(1);
  db.close();
  await store.close();
});
