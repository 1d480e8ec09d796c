import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { checkBatch } from '../../../src/batches/check/clearance.js';
import { SENDABLE } from '../../../src/storage/batches/row-state.js';
import type { Batch, BatchStore } from '../../../src/storage/batches/batch-store.js';
import type { StatePlace } from '../../../src/storage/postgres/place.js';
import type { PostgresStoreOptions } from '../../../src/storage/batches/postgres/store.js';
import { exchangeOn } from '../../../src/storage/batches/postgres/exchange-statements.js';
import type { ClaimedRow, RowResult, TakenRows } from '../../../src/storage/batches/row.js';
import type { Control, Worker } from '../../../src/storage/batches/worker.js';
import { type OperationFacts, NO_FACTS } from '../../../src/contract/operation-facts.js';
import { clusterSqlOf } from '../../../src/storage/postgres/cluster.js';
import { connect } from '../../../src/storage/postgres/connection.js';
import { systemClock, type Ticker } from '../../../src/runtime/clock.js';
import { lineTo } from '../../support/line.js';
import { startPostgres } from '../../support/postgres.js';
import { made } from './attempts.js';
import { ASKING, FACTS, NOTHING_KNOWN, planned, plannedRow } from './given.js';
import { send } from '../../batches/run/lent.js';
import { failing, NEVER, openPostgres, statesOf } from './opening.js';
import { claimedAt } from '../../support/moments.js';

// Autovacuum would collect statistics, and a new batch has none.
const server = await startPostgres(['autovacuum=off']);

const HOUR_MS = 3_600_000;
const SHORT = { leaseMs: 500, marginMs: 100 };
const claim = { after: -1, count: 4, states: SENDABLE, ...claimedAt(7) };
const rowsOf = (count: number) => Array.from({ length: count }, (_, number) => plannedRow(number, 100n));
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

function confirmedAs({ number, sentAtMs }: ClaimedRow): RowResult {
  const fixed = { status: 'confirmed', operationAtMs: null, code: null, detail: null };
  return { number, sentAtMs, state: 'confirmed', operation: `op-${String(number)}`, ...fixed };
}

describe.skipIf(server === null)('several workers', () => {
  let place: StatePlace;
  const opened: BatchStore[] = [];
  beforeEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close().catch(() => undefined)));
    place = await server!.place(null, 'worker');
  });
  afterAll(() => Promise.all(opened.map((store) => store.close().catch(() => undefined))));

  const open = async (options: Partial<PostgresStoreOptions> = {}): Promise<BatchStore> => {
    const store = await openPostgres(place, options);
    opened.push(store);
    return store;
  };
  const sql = (text: string): Promise<Record<string, unknown>[]> => server!.queryIn(place, text);
  const endLease = (name: string) =>
    sql(`UPDATE svc.workers SET lease_until = clock_timestamp() WHERE name = '${name}'`);
  const sender = async (
    batch: Batch,
    options: Partial<PostgresStoreOptions> = {},
  ): Promise<{ store: BatchStore; worker: Worker }> => {
    const store = await open(options);
    return { store, worker: (await store.join(batch.id, 'send'))! };
  };

  const takeLeft = async (store: BatchStore, batch: Batch, after: number): Promise<TakenRows> => {
    for (;;) {
      const rows = await store.exchange(batch.id, [], { ...claim, after, count: 99 });
      if (rows.length > 0 || rows.othersHaveRows !== true) return rows;
      await pause(50);
    }
  };

  it('take each row once, each the next free ones', async () => {
    const batch = await planned(await open(), rowsOf(9));
    const [a, b] = [await sender(batch), await sender(batch)];
    const taking = [a, b].map(({ store }) => store.exchange(batch.id, [], claim));
    const [first, second] = await Promise.all(taking);
    const numbers = [...first!, ...second!].map(({ number }) => number);
    expect(new Set(numbers).size).toBe(8);
  });

  it('take over the rows of one that died, and what it says later changes nothing', async () => {
    const batch = await planned(await open(), rowsOf(4));
    let aheadMs = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs };
    const dead = await sender(batch, { clock, ticker: NEVER, name: 'dead' });
    const taken = [...(await dead.store.exchange(batch.id, [], claim))];
    expect(taken).toHaveLength(4);
    const heir = await sender(batch, { name: 'heir' });
    const waiting = await heir.store.exchange(batch.id, [], claim);
    expect([waiting.length, waiting.othersHaveRows]).toEqual([0, true]);
    await endLease('dead');
    aheadMs = HOUR_MS;
    const left = [...(await takeLeft(heir.store, batch, 3))];
    expect(left.map(({ number, stateBefore, key }) => [number, stateBefore, key])).toEqual(
      taken.map(({ number, key }) => [number, 'intent', key]),
    );
    await expect(dead.worker.requireLease()).rejects.toMatchObject(failing(15, 'lease_lost'));
    await heir.store.exchange(batch.id, [confirmedAs(left[0]!)], null);
    const late = taken.slice(0, 2).map((row) => ({ ...confirmedAs(row), state: 'failed' as const }));
    await dead.store.exchange(batch.id, late, null);
    expect(dead.worker.lateResults).toBe(2);
    expect(await statesOf(heir.store, batch)).toEqual(['confirmed', 'intent', 'intent', 'intent']);
    await expect(dead.store.exchange(batch.id, [], claim)).rejects.toMatchObject({ exitCode: 15 });
    expect(heir.worker.lateResults).toBe(0);
    await heir.worker.requireLease();
  });

  it('leave what the events say of the rows of one that died to whoever asks, before anybody takes them', async () => {
    const batch = await planned(await open(), rowsOf(1));
    const dead = await sender(batch, { ticker: NEVER, name: 'dead' });
    const [row] = await dead.store.exchange(batch.id, [], claim);
    await endLease('dead');
    const store = await open();
    const facts = { status: 'confirmed', amount: row!.amount, currency: row!.currency };
    const own = { id: 'op', direction: batch.direction, createdAtMs: row!.sentAtMs };
    const paid: OperationFacts = { ...NO_FACTS, ...facts, ...own };
    await checkBatch(batch, ASKING, {
      ...{ store, clock: systemClock, signal: new AbortController().signal },
      isRepeatable: () => true,
      read: () => Promise.resolve(null),
      note: () => Promise.reject(new Error('no other server has taken over')),
      knowledge: {
        ...NOTHING_KNOWN,
        findByReferences: (_, references) => Promise.resolve(new Map(references.map((one) => [one, [paid]]))),
      },
    });
    expect(await store.rows(batch.id, -1, 1)).toMatchObject([{ state: 'confirmed', operation: 'op' }]);
  });

  it('go on where a lease was over and nobody wanted it', async () => {
    const batch = await planned(await open(), rowsOf(4));
    const slow = await sender(batch, { ...SHORT, ticker: NEVER });
    const rows = [...(await slow.store.exchange(batch.id, [], claim))];
    await pause(2 * SHORT.leaseMs);
    await slow.worker.requireLease();
    await slow.store.exchange(batch.id, rows.map(confirmedAs), null);
    expect(new Set(await statesOf(slow.store, batch))).toEqual(new Set(['confirmed']));
  });

  it('send nothing by either clock: one that was set forward counts as much as one that ran', async () => {
    const batch = await planned(await open(), rowsOf(1));
    let aheadMs = 0;
    const clock = { ...systemClock, now: () => Date.now() + aheadMs };
    const { worker } = await sender(batch, { clock, ticker: NEVER });
    await sql('UPDATE svc.workers SET ended_at = clock_timestamp()');
    await worker.requireLease();
    aheadMs = HOUR_MS;
    await expect(worker.requireLease()).rejects.toMatchObject({ exitCode: 15 });
  });

  it.each([
    ['', 0],
    [', where the answer is lost on the way too', 1],
  ])('know how old a row is by the database, whatever their clocks say%s', async (_where, cuts) => {
    const batch = await planned(await open(), rowsOf(1));
    const dead = await sender(batch, { ticker: NEVER });
    await dead.store.exchange(batch.id, [], claim);
    await sql(`UPDATE svc.rows SET left_at = left_at - ${String(25 * HOUR_MS)}`);
    await sql('UPDATE svc.workers SET ended_at = clock_timestamp()');
    const line = await lineTo(place.port);
    const heir = await sender(batch, { place: { ...place, port: line.port }, ticker: NEVER });
    line.cut(cuts);
    const [row] = [...(await heir.store.exchange(batch.id, [], claim))];
    expect(line.count()).toBe(cuts);
    expect(claim.nowMs - row!.sentAtMs).toBeGreaterThanOrEqual(25 * HOUR_MS);
    await line.stop();
  });

  it('are let in together, or alone', async () => {
    const batch = await planned(await open(), rowsOf(1));
    const stores = await Promise.all(Array.from({ length: 4 }, () => open()));
    const ends = await Promise.allSettled(stores.map((store) => store.join(batch.id, 'alone')));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const late = await open();
    await expect(late.join(batch.id, 'send')).rejects.toMatchObject(failing(15, 'locked'));
    await Promise.all(opened.map((store) => store.close()));
    opened.length = 0;
    const one = await sender(batch, { name: 'one' });
    await sender(batch, { name: 'two' });
    await expect((await open()).join(batch.id, 'alone')).rejects.toThrow('one is at work on it');
    await one.worker.end();
    await expect((await open()).join(batch.id, 'alone')).rejects.toThrow('two is at work on it');
  });

  it('plan no batch of one name at once, and take it up where the planner is gone', async () => {
    const first = await open({ ticker: NEVER, name: 'planner-1' });
    const id = await first.begin(FACTS);
    await first.add(id, rowsOf(3));
    const second = await open({ name: 'planner-2' });
    await expect(second.begin(FACTS)).rejects.toMatchObject({ exitCode: 15 });
    await expect(second.begin(FACTS)).rejects.toThrow('planner-1 is at work on it');
    await endLease('planner-1');
    const anew = await second.begin(FACTS);
    await expect(first.add(id, rowsOf(4).slice(3))).rejects.toMatchObject({ exitCode: 15 });
    const totals = { fileHash: '', rows: 3, currencies: new Map() };
    await expect(first.finish(id, totals, 0)).rejects.toMatchObject({ exitCode: 15 });
    await second.add(anew, rowsOf(2));
    expect(await second.finish(anew, { ...totals, rows: 2 }, 0)).toBe(true);
    expect(await first.find(FACTS.name)).toMatchObject({ rows: 2 });
  });

  it('give a row that got no answer one turn each time, whoever takes it', async () => {
    const batch = await planned(await open(), rowsOf(4));
    const [a, b] = [await sender(batch), await sender(batch)];
    const rows = [...(await a.store.exchange(batch.id, [], claim))];
    const silent = rows.map((row) => ({ ...confirmedAs(row), state: 'unknown' as const, operation: null }));
    await a.store.exchange(batch.id, silent, null);
    expect(await b.store.exchange(batch.id, [], claim)).toHaveLength(0);
    await Promise.all([a.worker.end(), b.worker.end()]);
    const next = await sender(batch);
    expect(await next.store.exchange(batch.id, [], claim)).toHaveLength(4);
  });

  it('pause together and stop together, and a run that finds nobody begins anew', async () => {
    const batch = await planned(await open(), rowsOf(4));
    const [a, b] = [await sender(batch, { name: 'pod-a' }), await sender(batch, { ticker: NEVER })];
    const heard: Control[] = [];
    b.worker.listen((control) => heard.push(control));
    await a.worker.pause(60_000);
    await a.worker.stop({ kind: 'refusals', code: 'x', detail: '' });
    await b.worker.stop({ kind: 'older' });
    await b.store.exchange(batch.id, [], claim);
    expect(heard.at(-1)).toMatchObject({ stopped: { kind: 'refusals', code: 'x', by: 'pod-a' } });
    expect(heard.at(-1)!.pauseMs).toBeGreaterThan(0);
    await Promise.all([a.worker.end(), b.worker.end()]);
    const next = await sender(batch);
    next.worker.listen((control) => heard.push(control));
    await next.store.exchange(batch.id, [], claim);
    expect(heard.at(-1)).toMatchObject({ stopped: null });
  });

  it('count together the rows that nobody answers, as long as none of them has an answer', async () => {
    const batch = await planned(await open(), rowsOf(4));
    const beats: (() => void)[] = [];
    const ticker: Ticker = (ms, work) => {
      expect(ms).toBeLessThanOrEqual(1000);
      beats.push(work);
      return () => undefined;
    };
    const [a, b] = [await sender(batch, { ticker, name: 'pod-a' }), await sender(batch, { ticker })];
    const gone = await sender(batch, { ticker: NEVER });
    let heard: Control[] = [];
    b.worker.listen((control) => heard.push(control));
    const told = async (): Promise<Control | undefined> => {
      heard = [];
      beats[1]!();
      while (heard.length === 0) await pause(5);
      return heard[0];
    };
    a.worker.reportSilentRows(30);
    b.worker.reportSilentRows(20);
    expect(await told()).toMatchObject({ silentRows: 0 });
    await gone.worker.end();
    await a.store.exchange(batch.id, [], claim);
    expect(await told()).toMatchObject({ silentRows: 50 });
    b.worker.reportSilentRows(0);
    expect(await told()).toMatchObject({ silentRows: 0 });
    b.worker.reportSilentRows(1);
    await b.store.exchange(batch.id, [], null);
    expect(heard.at(-1)).toMatchObject({ silentRows: 31 });
    await a.worker.pause(60_000);
    expect((await told())!.pauseMs).toBeGreaterThan(0);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as unknown;
    const sharing = { paused_until: time, stopped: null, confirmed_by: null };
    expect(await b.store.sharing(batch.id)).toEqual(sharing);
    await a.worker.stop({ kind: 'denied', code: 'unauthorized', detail: '' });
    const { stopped } = (await told())!;
    expect(stopped).toMatchObject({ kind: 'denied', by: 'pod-a' });
    expect(stopped!.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  it('are let in by a person in spite of what stopped them, and not by a run that comes by itself', async () => {
    const batch = await planned(await open(), rowsOf(4));
    const first = await sender(batch, { ticker: NEVER });
    await first.worker.stop({ kind: 'older' });
    const stoppedFor = async (clearsStop: boolean): Promise<unknown> => {
      const store = await open();
      const worker = (await store.join(batch.id, 'send', { ratePerSecond: null, clearsStop }))!;
      let stopped: unknown;
      worker.listen((control) => ({ stopped } = control));
      await store.exchange(batch.id, [], claim);
      return stopped;
    };
    expect(await stoppedFor(false)).toMatchObject({ kind: 'older' });
    expect(await stoppedFor(true)).toBeNull();
  });

  it('are given each moment of their rate once, however many ask at once', async () => {
    const each = 20;
    const batch = await planned(await open(), rowsOf(8 * each * 2));
    const terms = { ratePerSecond: 0.0001, clearsStop: false };
    const stores = await Promise.all(Array.from({ length: 8 }, () => open()));
    for (const store of stores) await store.join(batch.id, 'send', terms);
    await sql("UPDATE svc.batches SET next_slot = '2100-01-01Z'");
    const baseMs = Date.parse('2100-01-01') - systemClock.now() + systemClock.monotonic();
    const slots: number[] = [];
    const note = (ms: number | null | undefined): void =>
      void slots.push(Math.round(((ms ?? NaN) - baseMs) * 1e-7) + 0);
    const claims = stores.map(async (store) => {
      for (let round = 0; round < each; round += 1) {
        const rows = await store.exchange(batch.id, [], { ...claim, after: -1, count: 2 });
        for (const row of rows) note(row.slotAtMs);
      }
      note(await (await store.join(batch.id, 'send'))!.slot());
    });
    await Promise.all(claims);
    const all = 8 * each * 2 + 8;
    expect(slots.toSorted((a, b) => a - b)).toEqual(Array.from({ length: all }, (_, index) => index));
    const next = "extract(epoch FROM next_slot - '2100-01-01Z')::float8";
    const [left] = await sql(`SELECT ${next} AS seconds FROM svc.batches`);
    expect(left).toEqual({ seconds: all * 10_000 });
  });

  it('send at one rate: whoever comes with another is refused, and whoever finds nobody says it anew', async () => {
    const batch = await planned(await open(), rowsOf(4));
    const at = (ratePerSecond: number | null) => ({ ratePerSecond, clearsStop: false });
    const join = async (rate: number | null): Promise<Worker> =>
      (await (await open({ name: 'pod-a' })).join(batch.id, 'send', at(rate)))!;
    const first = await join(20);
    expect([(await join(null)).ratePerSecond, (await join(20)).ratePerSecond]).toEqual([20, 20]);
    await expect(join(30)).rejects.toMatchObject(failing(13, 'rate_differs'));
    await expect(join(30)).rejects.toThrow('pod-a sends this batch at --rate 20/s');
    await Promise.all(opened.splice(0).map((store) => store.close()));
    expect(first.ratePerSecond).toBe(20);
    expect((await join(null)).ratePerSecond).toBeNull();
    await expect(join(30)).rejects.toThrow('pod-a sends this batch without --rate');
    const rows = [...(await opened[0]!.exchange(batch.id, [], claim))];
    expect(new Set(rows.map(({ slotAtMs }) => slotAtMs))).toEqual(new Set([null]));
    await Promise.all(opened.splice(0).map((store) => store.close()));
    const lone = await open();
    const alone = (await lone.join(batch.id, 'alone'))!;
    await lone.join(batch.id, 'send', at(5));
    expect(alone.ratePerSecond).toBe(5);
  });

  it('have a batch done between them, whoever dies and however the database crashes', async () => {
    const batch = await planned(await open(), rowsOf(3000));
    const sendings = new Map<string, number>();
    let restarts = 0;
    const run = async (dies: boolean): Promise<unknown> => {
      const { store, worker } = await sender(batch, dies ? { ...SHORT, ticker: NEVER } : {});
      let sent = 0;
      const attempt = async (row: ClaimedRow) => {
        sent += 1;
        if (dies && sent > 300) return new Promise<never>(() => undefined);
        if (!dies && sent === 500 && restarts++ === 0) await server!.restart('immediate');
        await pause(1);
        sendings.set(row.key, (sendings.get(row.key) ?? 0) + 1);
        return made('confirmed', { id: `op-${row.key}` });
      };
      const end = send(batch, { store, worker, attempt, clock: systemClock }, { concurrency: 16 });
      return dies ? Promise.race([end, pause(1000)]) : end;
    };
    expect(await Promise.all([run(false), run(true), run(false)])).toEqual([null, undefined, null]);
    expect(new Set(await statesOf(opened[0]!, batch))).toEqual(new Set(['confirmed']));
    expect(sendings.size).toBe(3000);
    expect(restarts).toBeGreaterThan(0);
  });

  it('read no more of a new batch for a block than the block', async () => {
    const batch = await planned(await open(), rowsOf(5000));
    const { store } = await sender(batch);
    await store.exchange(batch.id, [], { ...claim, count: 256 });
    const results = Array.from({ length: 256 }, (_, number) => ({
      ...{ number, generation: 1, mine: true, before: null, state: 'confirmed', sent_at: 5 },
      ...{ operation: 'x', status: null, operation_at: null, code: null, detail: null },
    }));
    const [worker] = await sql('SELECT worker, seq FROM svc.workers ORDER BY worker DESC LIMIT 1');
    const [kept] = await sql('SELECT cluster, timeline FROM svc.batches');
    const asking = connect({ place, clock: systemClock, patienceMs: 1000, say: () => undefined });
    const sqlOfServer = await clusterSqlOf(asking).finally(() => asking.close());
    const numbers = results.map(({ number }) => number);
    const [explained] = await server!.query(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${exchangeOn(sqlOfServer).replaceAll('svc.', `"${place.schema}".`)}`,
      [
        ...[worker!['worker'], Number(worker!['seq']) + 1, 60_000, JSON.stringify(results), batch.id],
        ...[255, 256, SENDABLE, null, true, numbers, 0, 255, 1, 0, kept!['cluster'], kept!['timeline']],
        ...[null, null, null],
      ],
    );
    const most = scansOf((explained!['QUERY PLAN'] as [{ Plan: Plan }])[0].Plan).filter(
      ({ name, read }) => ['rows', 'bodies'].includes(name) && read > 2 * 256,
    );
    expect(most).toEqual([]);
  });

  it('stop where an answer is lost, and the server has forgotten what it had acknowledged before', async () => {
    const line = await lineTo(place.port);
    const batch = await planned(await open(), rowsOf(4));
    const { store } = await sender(batch, { place: { ...place, port: line.port }, ticker: NEVER });
    await store.exchange(batch.id, [], { ...claim, count: 1 });
    await sql('UPDATE svc.workers SET seq = seq - 1');
    line.cut(1);
    await expect(store.exchange(batch.id, [], claim)).rejects.toMatchObject(failing(16, 'commits_lost'));
    await line.stop();
  });

  it('take a commit that was not waited for on its standbys for a failure', async () => {
    const batch = await planned(await open(), rowsOf(4));
    const { store } = await sender(batch, { ticker: NEVER });
    await server!.query("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    await server!.query('SELECT pg_reload_conf()');
    const isSet = "SELECT 1 FROM pg_settings WHERE name = 'synchronous_standby_names' AND setting = 'nobody'";
    while ((await server!.query(isSet)).length === 0) await pause(20);
    // Commits wait only after the checkpointer has read the setting too, and nothing says when.
    await pause(300);
    const end = store.exchange(batch.id, [], claim).catch((error: unknown) => error);
    const cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    while ((await server!.query(cancel)).length === 0) await pause(20);
    await server!.query('ALTER SYSTEM RESET synchronous_standby_names');
    await server!.query('SELECT pg_reload_conf()');
    expect(await end).toMatchObject({ exitCode: 16, facts: { code: 'commit_not_replicated' } });
  });

  it('keep what a service says even where a database cannot hold it as it is', async () => {
    const batch = await planned(await open(), rowsOf(1));
    const { store } = await sender(batch);
    const [row] = [...(await store.exchange(batch.id, [], claim))];
    await store.exchange(batch.id, [{ ...confirmedAs(row!), detail: 'a\0b\ud800c' }], null);
    expect((await store.rows(batch.id, -1, 1))[0]).toMatchObject({ detail: 'a\ufffdb\ufffdc' });
  });
});

const READ = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Index Recheck'] as const;
interface Plan extends Readonly<Partial<Record<(typeof READ)[number] | 'Actual Loops', number>>> {
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
}

function scansOf(plan: Plan): { name: string; read: number }[] {
  const read = READ.reduce((sum, name) => sum + (plan[name] ?? 0), 0) * (plan['Actual Loops'] ?? 0);
  const mine = plan['Relation Name'] === undefined ? [] : [{ name: plan['Relation Name'], read }];
  return [...mine, ...(plan.Plans ?? []).flatMap(scansOf)];
}
