import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { SENDABLE } from '../../../src/storage/batches/row-state.js';
import { systemClock } from '../../../src/runtime/clock.js';
import { clusterOf, clusterSqlOf } from '../../../src/storage/postgres/cluster.js';
import { connect, type Connection } from '../../../src/storage/postgres/connection.js';
import type { StatePlace } from '../../../src/storage/postgres/place.js';
import { planned, plannedRow } from '../batches/given.js';
import { NEVER, openPostgres } from '../batches/opening.js';
import { sharedMirrors } from '../../feed/engines.js';
import { eventsOf, known, PLACE } from '../../feed/given.js';
import { startPostgres } from '../../support/postgres.js';
import { claimedAt } from '../../support/moments.js';

const server = await startPostgres();
afterAll(() => server?.stop());

const IMPATIENT = { clock: systemClock, patienceMs: 300, say: () => undefined };
const LEASE_MS = 60_000;
const COMMITS_LOST = { exitCode: 16, facts: { code: 'commits_lost' } };
const claim = { after: -1, count: 2, states: SENDABLE, ...claimedAt(7) };

describe.skipIf(server === null)('the server that keeps a state', () => {
  let place: StatePlace;
  const kept = <T extends { close(): Promise<void> }>(one: T): T => {
    onTestFinished(() => one.close().catch(() => undefined));
    return one;
  };
  beforeEach(async () => void (place = await server!.place()));
  const nowOf = async (connection: Connection) => clusterOf(connection, await clusterSqlOf(connection));

  it('is the same when it starts again, and another one once a replica of it is promoted', async () => {
    const connection = kept(connect({ ...IMPATIENT, place, patienceMs: 20_000 }));
    const first = await nowOf(connection);
    expect(first.cluster).toMatch(/^\d{15,}$/);
    await server!.restart('immediate');
    expect(await nowOf(connection)).toEqual(first);
    await server!.keepCopy();
    await server!.putBack('promoted');
    expect(await nowOf(connection)).toEqual({ ...first, timeline: first.timeline! + 1 });
  });

  it('is told by its address where it may not be asked who it is, and has no timeline then', async () => {
    await server!.query(`
      CREATE ROLE asks_little LOGIN PASSWORD 'x';
      REVOKE EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) FROM PUBLIC`);
    const asking = { ...IMPATIENT, place: { ...place, user: 'asks_little', password: 'x' } };
    const first = await nowOf(kept(connect({ ...asking })));
    expect(first).toMatchObject({ cluster: expect.stringMatching(/^\d+$/) as string, timeline: null });
    await server!.query('REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC');
    const { host, port } = server!.address;
    const cluster = `${host}:${String(port)}`;
    expect(await nowOf(kept(connect(asking)))).toEqual({ cluster, timeline: null });
  });

  it('is waited for where it is a replica that nobody can write: 16, and nothing was sent', async () => {
    const batch = await planned(kept(await openPostgres(place)), [plannedRow(0, 1n)]);
    const store = kept(await openPostgres(place, { patienceMs: 300 }));
    await server!.query('ALTER ROLE owner SET default_transaction_read_only = on');
    await server!.restart('fast');
    try {
      await expect(store.exchange(batch.id, [], claim)).rejects.toMatchObject({
        ...{ exitCode: 16, facts: { code: 'state_unreachable', outcome: 'not_sent', retryable: true } },
      });
    } finally {
      await server!.query('BEGIN READ WRITE; ALTER ROLE owner RESET default_transaction_read_only; COMMIT');
      await server!.restart('fast');
    }
    expect(await store.exchange(batch.id, [], claim)).toHaveLength(1);
  });

  it('that took over ends every worker, whose last commit was lost or not: others may have paid what it has forgotten', async () => {
    const rows = [0, 1, 2, 3].map((at) => plannedRow(at, 1n));
    const batch = await planned(kept(await openPostgres(place)), rows);
    const [late, early] = [kept(await openPostgres(place)), kept(await openPostgres(place))];
    await late.exchange(batch.id, [], { ...claim, count: 1 });
    await early.exchange(batch.id, [], { ...claim, count: 1 });
    await server!.keepCopy();
    expect(await late.exchange(batch.id, [], { ...claim, count: 1 })).toHaveLength(1);
    await server!.putBack('promoted');
    await expect(late.exchange(batch.id, [], claim)).rejects.toMatchObject(COMMITS_LOST);
    const said = { status: null, operationAtMs: null, code: null, detail: null };
    const result = { number: 1, state: 'confirmed', sentAtMs: 7, operation: 'op-1', ...said } as const;
    await expect(early.exchange(batch.id, [result], claim)).rejects.toMatchObject(COMMITS_LOST);
    await Promise.all([late.close(), early.close()]);
    const store = kept(await openPostgres(place));
    const states = (await store.rows(batch.id, -1, 9)).map(({ state }) => state);
    expect(states).toEqual(['intent', 'intent', 'planned', 'planned']);
    expect((await store.workers(batch.id)).map(({ state }) => state)).toEqual(['ended', 'ended', 'ended']);
  });

  it.each([
    ['knows the worker', true],
    ['has never heard of it', false],
  ])('that took over, and %s, lets nothing leave once a lease is to be renewed', async (_, isKnown) => {
    const batch = await planned(kept(await openPostgres(place)), [plannedRow(0, 1n)]);
    let aheadMs = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs };
    const store = kept(await openPostgres(place, { clock, leaseMs: LEASE_MS, ticker: NEVER }));
    if (!isKnown) await server!.keepCopy();
    const worker = (await store.join(batch.id, 'send'))!;
    if (isKnown) await server!.keepCopy();
    await server!.putBack('promoted');
    aheadMs = LEASE_MS;
    await expect(worker.requireLease()).rejects.toMatchObject(COMMITS_LOST);
    expect(worker.isGood).toBe(false);
  });

  it('that took over between the look at a batch and the first row lets nothing leave', async () => {
    const planning = kept(await openPostgres(place));
    const batch = await planned(planning, [plannedRow(0, 1n)]);
    expect(await planning.findChangedServer(batch.id)).toBeNull();
    await server!.keepCopy();
    await server!.putBack('promoted');
    const store = kept(await openPostgres(place));
    await store.join(batch.id, 'send');
    await expect(store.exchange(batch.id, [], claim)).rejects.toMatchObject(COMMITS_LOST);
    await store.trustServer(batch.id, (await store.findChangedServer(batch.id))!);
    const resumed = kept(await openPostgres(place));
    expect(await resumed.exchange(batch.id, [], claim)).toHaveLength(1);
  });

  it('that took over takes no page of a reading that began before: what it has forgotten is read again', async () => {
    const mirrors = kept(await sharedMirrors(place));
    const company = await mirrors.begin(PLACE);
    const mirror = mirrors.of(company);
    const begun = await mirror.reading();
    await mirror.commit(known(...eventsOf(1)), { ...begun, cursor: '1' });
    await server!.keepCopy();
    expect(await mirror.commit(known(...eventsOf(1, 1)), { ...begun, cursor: '2' })).toBe(true);
    await server!.putBack('promoted');
    expect(await mirror.commit(known(...eventsOf(1, 2)), { ...begun, cursor: '3' })).toBe(false);
    expect(await mirror.reading()).toMatchObject({ cursor: '1' });
    expect(await mirror.size()).toBe(1);
  });
});
