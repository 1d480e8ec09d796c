import { lookUp } from '../command/read.js';
import { serviceAddressOf } from '../session/address.js';
import { canonicalOrigin } from '../contract/access.js';
import { isUuid } from '../contract/notation.js';
import { flagWords, svcLine } from '../runtime/shell.js';
import { tableFillerOf, type OpenTable } from './into/batch.js';
import { type EventTable, TableAway } from './into/table.js';
import type { IntoTarget } from './into/target.js';
import type { Sink } from '../feed/follow.js';
import type { OpenCheckpoint } from '../storage/checkpoints/checkpoint.js';
import { Failure } from '../runtime/failure.js';
import { machineName } from '../runtime/processes.js';
import { whereFlags } from '../session/place-flags.js';
import type { IntoFlags } from './follow-flags.js';
import type { SessionRun } from '../command/command.js';

const LEASE_MS = 15_000;
const EVENTS_MAX = 1000;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
const TRIES_MAX = 3;

export interface FeedJob {
  readonly sink: Sink;
  readonly eventsMax?: number;
  readonly isFull?: () => boolean;
  readonly durable?: () => Promise<void>;
  readonly keepRunning?: (
    work: (checkpoint: OpenCheckpoint, loss: AbortSignal) => Promise<void>,
  ) => Promise<void>;
}

export async function tableJob(run: SessionRun<IntoFlags>, target: IntoTarget): Promise<FeedJob> {
  const runExclusively = await tableOf(run, target);
  let filler: ReturnType<typeof tableFillerOf> | null = null;
  let count = 0;
  return {
    eventsMax: EVENTS_MAX,
    isFull: () => filler?.isFull() ?? false,
    durable: () => filler?.end() ?? Promise.resolve(),
    sink: (page, events, accept) => {
      count += events.length;
      return filler?.sink(page, events, accept) ?? Promise.reject(new Error('no table is open'));
    },
    keepRunning: (work) =>
      retryWhileAway(run, () =>
        runExclusively(async (openTable) => {
          await requireCompany(openTable, run);
          const openFiller = tableFillerOf(openTable);
          filler = openFiller;
          count = 0;
          try {
            await work(openFiller.checkpoint, openFiller.loss);
          } finally {
            await openFiller.end();
          }
          if (run.flags['no-follow']) await run.session.note(writtenText(count, target));
        }),
      ),
  };
}

function writtenText(count: number, target: IntoTarget): string {
  const placeText =
    target.kind === 'sqlite'
      ? `table svc_events of ${target.file}`
      : `table ${target.place.schema}.svc_events of database ${target.place.database}`;
  const addedText = count === 1 ? '1 event was added' : `${count.toLocaleString('en-US')} events were added`;
  return `${addedText} to ${placeText}.`;
}

async function tableOf(
  { session, ports, flags }: SessionRun<IntoFlags>,
  target: IntoTarget,
): Promise<EventTable> {
  const { clock, random, pid, signal } = ports;
  const { environment, address } = serviceAddressOf(session);
  const words = [
    ...whereFlags(flags),
    ...flagWords('--into', flags.into ?? ''),
    '--create',
    ...(flags.from === undefined ? [] : flagWords('--from', flags.from)),
    ...(flags['no-follow'] ? ['--no-follow'] : []),
  ];
  const createCommand = flags.create ? null : svcLine('events tail', words);
  const tableOptions = { environment, origin: canonicalOrigin(address), clock, createCommand };
  if (target.kind === 'sqlite') {
    const { sqliteTable } = await import('./into/sqlite/sqlite-table.js');
    return sqliteTable({ ...tableOptions, file: target.file });
  }
  const { postgresTable } = await import('./into/postgres/postgres-table.js');
  const name = `${machineName()}/${String(pid)}`;
  const lease = { token: random.uuid(), name, leaseMs: LEASE_MS };
  return postgresTable({ ...tableOptions, ...lease, signal, at: target.place });
}

async function retryWhileAway(
  { ports, session, flags }: SessionRun<IntoFlags>,
  work: () => Promise<void>,
): Promise<void> {
  const { clock, signal } = ports;
  for (let tries = 1, waitMs = FIRST_WAIT_MS; ; tries += 1, waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const startMs = clock.monotonic();
    try {
      await work();
      return;
    } catch (error) {
      signal.throwIfAborted();
      const isServiceAway =
        error instanceof Failure && (error.kind === 'unavailable' || error.kind === 'network');
      if (!(error instanceof TableAway) && (!isServiceAway || flags['no-follow'])) throw error;
      const failure = error instanceof TableAway ? error.failure : error;
      if (clock.monotonic() - startMs > LONGEST_WAIT_MS) [tries, waitMs] = [1, FIRST_WAIT_MS];
      if (flags['no-follow'] && tries >= TRIES_MAX) throw failure;
      const text = `${failure.head} Trying again in ${String(Math.ceil(waitMs / 1000))} s; nothing is lost.`;
      await session.note(text, { level: 'warn' });
      await clock.sleep(waitMs, signal);
    }
  }
}

async function requireCompany({ newestOperation: id }: OpenTable, run: SessionRun<IntoFlags>): Promise<void> {
  if (id === null || !isUuid(id) || (await lookUp(id, run)) !== null) return;
  throw new Failure(
    'unsafe',
    `The tables have operation ${id}, which this key does not see. They belong to another company, or to a sandbox that was emptied. ` +
      'Nothing was written. Use a key of that company, or other tables: another schema or file.',
    { code: 'other_company' },
  );
}
