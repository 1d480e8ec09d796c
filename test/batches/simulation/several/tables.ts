import { Buffer } from 'node:buffer';
import {
  exchangeOn,
  GIVE_BACK_ROWS,
  workerProgressOn,
  TAKEN_BY,
} from '../../../../src/storage/batches/postgres/exchange-statements.js';
import {
  END_WORKER,
  JOIN_BATCH,
  LOOK_AT_BATCH,
  PAUSE_BATCH,
  END_DEAD_WORKERS,
  renewOn,
  STOP_BATCH,
} from '../../../../src/storage/batches/postgres/worker-statements.js';
import type { Cluster } from '../../../../src/storage/postgres/cluster.js';
import { SCHEMA_VERSION } from '../../../../src/storage/postgres/schema.js';
import { claimedBy, type Tables, type RowKept } from './taking.js';
import type { SeveralRule } from './rules.js';
import type { Time } from './time.js';

export const ASKED = { cluster: 'who', timeline: 'since' };
export const [EXCHANGE, STANDING] = [exchangeOn(ASKED), workerProgressOn(ASKED)];
const RENEW = renewOn(ASKED);
const CLUSTER = 'one';

type Values = readonly unknown[];
type Records = Record<string, unknown>[];

const SNAPSHOTS = 100;
const SNAPSHOT_MS = 50;

export class Database {
  tables: Tables;
  timeline = 1;
  #untilFailover = 0;
  #failOver: () => void = () => undefined;
  readonly #before: { readonly atMs: number; readonly tables: Tables }[] = [];

  constructor(
    private readonly time: Time,
    rows: readonly RowKept[],
    private readonly without: SeveralRule | null,
  ) {
    const batch = { joins: 0, lastWorker: 0, wave: 0, pauseUntilMs: 0, stopped: null, timeline: 1 };
    this.tables = { batch, workers: [], rows: [...rows] };
  }

  execute(text: string, values: Values): Records {
    const records = this.#run(text, values);
    const { nowMs } = this.time;
    if (nowMs - (this.#before.at(-1)?.atMs ?? -Infinity) > SNAPSHOT_MS)
      this.#before.push({ atMs: nowMs, tables: copyOf(this.tables) });
    if (this.#before.length > SNAPSHOTS) this.#before.shift();
    if (--this.#untilFailover === 0) this.#failOver();
    return records;
  }

  failOverBehind(statements: number, lagMs: number, onDone: () => void): void {
    this.#untilFailover = statements;
    this.#failOver = () => {
      const known = this.#before.findLast(({ atMs }) => atMs <= this.time.nowMs - lagMs);
      if (known === undefined) return;
      this.tables = copyOf(known.tables);
      this.timeline += 1;
      onDone();
    };
  }

  get server(): Cluster {
    return { cluster: CLUSTER, timeline: this.timeline };
  }

  #renewed(mine: Tables['workers'][number] | undefined, values: Values, control: object) {
    const [, leaseMs, , cluster, timeline] = values;
    const home = this.#isHome(cluster, timeline);
    const alive = home && mine?.hasEnded === false;
    if (alive) mine.leaseUntilMs = this.time.nowMs + Number(leaseMs);
    return { ...control, home, alive };
  }

  #isHome(cluster: unknown, timeline: unknown): boolean {
    const isSame = cluster === CLUSTER && timeline === this.timeline;
    return isSame || this.without === 'seq and home';
  }

  #run(text: string, values: Values): Records {
    const { batch, workers, rows } = this.tables;
    const nowMs = this.time.nowMs;
    const [first, second] = values;
    const mine = workers.find(({ worker }) => worker === first);
    const control = {
      ...{ pause_ms: Math.max(0, batch.pauseUntilMs - nowMs), stopped: batch.stopped },
      ...{ silent_rows: 0, now_ms: nowMs },
    };
    switch (text) {
      case END_DEAD_WORKERS:
        for (const one of workers) {
          if (one.worker === first || one.hasEnded || one.leaseUntilMs >= nowMs) continue;
          one.hasEnded = true;
          if (this.without === 'REAP remembers') forget(rows, one.worker);
        }
        return [];
      case LOOK_AT_BATCH: {
        const there = workers.filter(({ hasEnded }) => !hasEnded);
        const none = [{ worker: null, mode: 'send', name: '', token: '' }];
        return (there.length === 0 ? none : there).map((one) => ({
          ...one,
          ...{ joins: batch.joins, cluster: CLUSTER, timeline: batch.timeline },
          rate: null,
          now_ms: nowMs,
        }));
      }
      case JOIN_BATCH: {
        const [, joins, mode, name, , token, leaseMs, isAlone, , clearsStop] = values;
        if (batch.joins !== joins) return [];
        batch.joins += 1;
        const isAnew = isAlone === true || (clearsStop === true && batch.stopped !== null);
        if (isAnew) [batch.wave, batch.stopped] = [batch.wave + 1, null];
        const worker = (batch.lastWorker += 1);
        const lease = { leaseUntilMs: nowMs + Number(leaseMs), hasEnded: false };
        const said = { mode: mode as 'send', name: String(name), token: String(token) };
        workers.push({ worker, seq: 0, ...said, ...lease });
        return [{ worker, rate: null, now_ms: nowMs }];
      }
      case RENEW:
        return [this.#renewed(mine, values, control)];
      case END_WORKER:
        if (mine?.token === String(second)) mine.hasEnded = true;
        return [];
      case PAUSE_BATCH:
        batch.pauseUntilMs = Math.max(batch.pauseUntilMs, nowMs + Number(second));
        return [];
      case STOP_BATCH:
        batch.stopped ??= JSON.parse(String(second)) as object;
        return [];
      case STANDING:
        return mine === undefined || !this.#isHome(second, values[2])
          ? []
          : [{ seq: mine.seq, alive: !mine.hasEnded, now_ms: nowMs }];
      case TAKEN_BY:
        return rows
          .filter(({ worker, seq, state }) => worker === second && seq === values[2] && state === 'intent')
          .map((row) => recordOf(row, 'intent'));
      case EXCHANGE: {
        const home = this.#isHome(values[15], values[16]);
        if (!home) return [{ ...control, number: -1, left_at: nowMs, home, alive: false, recorded: 0 }];
        const done = claimedBy(this.tables, values, nowMs, this.without);
        const status = {
          ...{ number: -1, left_at: nowMs, recorded: done.recorded, alive: done.isAlive },
          ...{ others: done.others, home },
          ...{ ...control, slots_end_ms: null, least_writer: SCHEMA_VERSION },
        };
        return [status, ...done.taken.map(({ row, before }) => recordOf(row, before))];
      }
      case GIVE_BACK_ROWS:
        throw new Error('no row was altered');
      default:
        throw new Error(`a statement that the simulation does not know: ${text}`);
    }
  }
}

function copyOf({ batch, workers, rows }: Tables): Tables {
  return {
    batch: { ...batch },
    workers: workers.map((one) => ({ ...one })),
    rows: rows.map((row) => ({ ...row })),
  };
}

function forget(rows: readonly RowKept[], dead: number): void {
  for (const row of rows)
    if (row.worker === dead && row.state === 'intent')
      Object.assign(row, { state: 'planned', worker: null, sentAt: null, leftAt: null });
}

function recordOf({ planned, sentAt, sentClocks, leftAt }: RowKept, before: string): Record<string, unknown> {
  const { body, seal } = planned;
  return {
    ...{ ...planned, body: Buffer.from(body), seal: Buffer.from(seal) },
    ...{ state: before, sent_at: sentAt, sent_clocks: sentClocks, left_at: leftAt },
  };
}
