import { send } from '../../run/lent.js';
import type { Batch, BatchStore } from '../../../../src/storage/batches/batch-store.js';
import { exchange } from '../../../../src/storage/batches/postgres/exchange.js';
import { joinBatch } from '../../../../src/storage/batches/postgres/join.js';
import type { Lease, LeaseWorld } from '../../../../src/storage/batches/postgres/lease.js';
import { sealsOf } from '../../../../src/storage/batches/postgres/seal.js';
import type { Worker } from '../../../../src/storage/batches/worker.js';
import { ServiceClock } from '../../../../src/client/service-clock.js';
import type { QueryResult, Connection } from '../../../../src/storage/postgres/connection.js';
import {
  isConflict,
  isLost,
  databaseFailure,
  unreachableFailure,
} from '../../../../src/storage/postgres/failures.js';
import type { Seeded } from '../../../support/seeded.js';
import { FACTS, plannedRow, totalsOf } from '../../../storage/batches/given.js';
import type { SeveralRule } from './rules.js';
import { ASKED, type Database, EXCHANGE, STANDING } from './tables.js';
import type { SeveralMachine } from './machine.js';
import { ANSWER_MS, type SeveralService } from './service.js';
import type { RowKept, Tables } from './taking.js';

const ROWS = 30;
const MARGIN_MS = ANSWER_MS + 5000;
const LEASE_MS = 2 * MARGIN_MS;
const STATEMENT_MS = 10_000;
const PATIENCE_MS = 60_000;
const SEALS = sealsOf(FACTS, null);
const PLANNED = Array.from({ length: ROWS }, (_, number) => plannedRow(number, 100n));
const BATCH: Batch = { ...FACTS, ...totalsOf(PLANNED), id: 1, confirmedAtMs: 0, confirmation: null };

export interface RunSetting {
  readonly database: Database;
  readonly random: Seeded;
  readonly faultRate: number;
  readonly without: SeveralRule | null;
  readonly service: SeveralService;
  readonly name: string;
  readonly onExchange: () => void;
}

export function plannedRows(): RowKept[] {
  return PLANNED.map((row) => {
    const { number, line, reference, currency, amount, follows, generation, key, body, minor } = row;
    const { seal } = SEALS.seal(row, Buffer.from(body));
    return {
      planned: { number, line, reference, currency, amount, follows, generation, key, body, minor, seal },
      ...{
        state: 'planned',
        sentAt: null,
        sentClocks: null,
        leftAt: null,
        operation: null,
        worker: null,
        seq: null,
        wave: -1,
      },
    };
  });
}

export async function runMachine(machine: SeveralMachine, setting: RunSetting): Promise<void> {
  const { random, name, without, service } = setting;
  const { clock, ticker } = machine;
  const world: LeaseWorld = {
    ...{ connection: lineOf(machine, setting), clock, ticker, name, program: '0' },
    say: () => undefined,
    ages: 'both',
    servers: {
      now: () => Promise.resolve(setting.database.server),
      text: (statement) => Promise.resolve(statement(ASKED)),
    },
    ...{ leaseMs: LEASE_MS, marginMs: MARGIN_MS },
  };
  const joining = { mode: 'send', token: name, ratePerSecond: null, clearsStop: true } as const;
  searchWhereDoubted(setting);
  await machine.after(10);
  const lease = await joinBatch(BATCH.id, joining, world);
  try {
    const time = new ServiceClock({ clock });
    service.sayTime(time);
    await send(BATCH, {
      store: storeOf(lease, world, setting),
      clock: time,
      random: { fraction: () => random.fraction() },
      worker: without === 'look before sending' ? unlooked(lease) : lease,
      serviceMs: () => time.sinceMs(0),
      ages: {
        moment: () => time.moment(),
        ageOf: (left) => time.ageOf(left, lease.databaseMs ?? undefined),
        mayResend: (left) => time.maySendAgain(left, lease.databaseMs ?? undefined),
      },
      attempt: (row) => service.attempt(row, machine, time),
    });
  } finally {
    await lease.end();
  }
}

function storeOf(
  lease: Lease,
  world: LeaseWorld,
  { database, onExchange }: RunSetting,
): Pick<BatchStore, 'exchange' | 'renew' | 'tally'> {
  return {
    renew: () => Promise.reject(new Error('no row takes another key')),
    exchange: async (batch, results, claim) => {
      const taken = await exchange(batch, { results, claim }, lease, { ...world, seals: SEALS });
      onExchange();
      return taken;
    },
    tally: () =>
      Promise.resolve(
        database.tables.rows.map(({ state, planned: { minor, currency } }) => ({
          ...{ currency, state, isSkipped: false, reason: null, rows: 1, minor },
        })),
      ),
  };
}

function searchWhereDoubted({ database, service, without }: RunSetting): void {
  const { tables, timeline } = database;
  if (tables.batch.timeline === timeline) return;
  if (without !== 'failover check') searchFor(tables, service);
  tables.batch.timeline = timeline;
}

function searchFor({ rows, workers }: Tables, service: SeveralService): void {
  const held = new Set(workers.flatMap(({ worker, hasEnded }) => (hasEnded ? [] : [worker])));
  for (const row of rows) {
    if (row.state === 'intent' && row.worker !== null && held.has(row.worker)) continue;
    const paid = service.of(row.planned.reference);
    if (paid !== undefined) Object.assign(row, { state: 'confirmed', operation: paid.id });
  }
}

function unlooked(lease: Lease): Worker {
  return {
    ...{ lateResults: 0, ratePerSecond: null, isGood: true },
    get databaseMs() {
      return lease.databaseMs;
    },
    slot: () => lease.slot(),
    reportSilentRows: (rows) => lease.reportSilentRows(rows),
    requireLease: () => Promise.resolve(),
    listen: (onControl) => lease.listen(onControl),
    pause: (ms) => lease.pause(ms),
    stop: (stop) => lease.stop(stop),
    end: () => lease.end(),
  };
}

function lineOf(machine: SeveralMachine, { database, random, faultRate, without }: RunSetting): Connection {
  const { time, clock } = machine;
  let lastSeq = 0;
  const once = <Row>(text: string, values: readonly unknown[] = []): Promise<QueryResult<Row>> =>
    new Promise((resolve, reject) => {
      if (text === EXCHANGE) lastSeq = values[1] as number;
      const fate = random.chance(faultRate) ? random.pick(['before', 'after', 'late'] as const) : 'answered';
      const lost = (ms: number): void =>
        machine.at(time.nowMs + ms, () => reject(new Error('the connection was cut')));
      if (fate === 'before') {
        lost(random.below(STATEMENT_MS));
        return;
      }
      if (fate === 'late') lost(STATEMENT_MS);
      time.in(fate === 'late' ? STATEMENT_MS + random.below(30_000) : 1 + random.below(20), () => {
        const rows = database.execute(text, values);
        if (without === 'seq and home' && text === STANDING && rows[0] !== undefined)
          Object.assign(rows[0], { seq: lastSeq - 1 });
        if (fate === 'after') lost(random.below(STATEMENT_MS));
        else if (fate === 'answered')
          machine.at(time.nowMs + 1 + random.below(20), () =>
            resolve({ rows: rows as Row[], count: rows.length }),
          );
      });
    });
  const patiently = async <T>(attempt: (last: unknown) => Promise<T>): Promise<T> => {
    const untilMs = clock.monotonic() + PATIENCE_MS;
    for (let last: unknown = null; ;) {
      try {
        return await attempt(last);
      } catch (error) {
        if (!isLost(error) && !isConflict(error)) throw databaseFailure(error);
        if (clock.monotonic() >= untilMs) throw unreachableFailure(error);
        last = error;
        await clock.sleep(500);
      }
    }
  };
  return {
    runOnce: once,
    runPatiently: patiently,
    run: (text, values) => patiently(() => once(text, values)),
    ...{ environment: 'sandbox' as const, script: () => Promise.resolve(), refuseWrites: () => undefined },
    moveCommand: () => '',
    isPooled: () => Promise.resolve(false),
    close: () => Promise.resolve(),
  };
}
