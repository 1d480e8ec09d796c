/** Sends what can be sent of a batch that is confirmed, follows it where asked, prints the summary, and ends by it. */
import { runBatch } from '../../bulk/run/engine.js';
import { searchFeed } from '../../bulk/run/feed-search.js';
import { followBatch } from '../../bulk/run/follow.js';
import type { Batch, BatchStore } from '../../bulk/store/batch-store.js';
import { SENDABLE } from '../../bulk/row-state.js';
import { backoffMs } from '../../client/retry.js';
import { isRepeatable } from '../../journal/intent.js';
import { Failure } from '../../runtime/failure.js';
import { Stopped } from '../../runtime/ports.js';
import { maskOfKey } from '../session/address.js';
import type { House } from '../base.js';
import { deliveryOver, readingOver } from './delivery.js';
import { batchCommand, endingOf, summaryOf } from './end.js';
import { feedOf } from './feed.js';
import type { Sending, SendingFlags } from './flags.js';
import { reportProgress } from './progress.js';
import type { Printer } from '../printer.js';
import type { Session } from '../session/session.js';

/** Everything that a run of a batch works with. */
export interface BulkJob {
  readonly house: House;
  readonly flags: SendingFlags;
  readonly sending: Sending;
  readonly session: Session;
  readonly store: BatchStore;
  readonly printer: Printer;
}

/** @throws Failure by the table of exit codes, Stopped with the command that goes on */
export async function sendBatch(batch: Batch, job: BulkJob): Promise<void> {
  const { house, flags, sending, session, store, printer } = job;
  const { ports } = house;
  const { clock, random, signal } = ports;
  if (batch.keyMask !== maskOfKey(session.key)) {
    await session.note(`The API key is another one than when this batch was planned (${batch.keyMask}).`);
  }
  const tally = await store.tally(batch.id);
  const open = tally.filter(({ state }) => (SENDABLE as readonly string[]).includes(state));
  const progress = reportProgress(
    ports,
    flags.quiet,
    batch,
    open.reduce((sum, { rows }) => sum + rows, 0),
  );
  const { concurrency, ratePerSecond } = sending;
  const onStop = (): void => {
    // Behind the bar, not in it.
    if (ports.errors.isTTY && !flags.quiet) void ports.errors.write('\n');
    const resume = batchCommand('resume', batch.name, flags);
    void session.note(
      `Stopping: what is under way is answered first. Once more ends it at once, safely. Then: ${resume}`,
    );
  };
  signal.addEventListener('abort', onStop, { once: true });
  const deliver = deliveryOver(session, batch.direction);
  let hasLeft = false;
  const stop = await runBatch(
    batch,
    { concurrency, ratePerSecond, signal, onRow: progress.onRow },
    {
      store,
      clock,
      random,
      backoffMs,
      isRepeatable: (sentAtMs, nowMs) => isRepeatable({ createdAtMs: sentAtMs }, nowMs),
      deliver: (row) => {
        hasLeft = true;
        return deliver(row);
      },
    },
  )
    .catch((error: unknown) => {
      throw hasLeft ? broken(error, batch, flags) : error;
    })
    .finally(() => {
      signal.removeEventListener('abort', onStop);
      return progress.end();
    });
  if (stop === null && !signal.aborted) await search(batch, job);
  const isFinal = stop !== null || (await follow(batch, job));
  const summary = summaryOf(batch.name, batch, await store.tally(batch.id), flags);
  await printer.answer(Buffer.from(JSON.stringify(summary)));
  const failure = endingOf(batch, summary, stop, !isFinal, flags);
  const reason: unknown = signal.reason;
  if (reason instanceof Stopped) throw stopped(reason, failure, summary.resume_command);
  if (failure !== null) throw failure;
}

/** What the events say of rows that nobody answered is help for a person: where it can't be had, the run ends by its rows all the same. */
async function search(batch: Batch, { house, flags, session, store }: BulkJob): Promise<void> {
  try {
    await searchFeed(batch, store, feedOf(session, house, flags));
  } catch (error) {
    // The end of the run says that it was stopped.
    if (error instanceof Stopped) return;
    if (!(error instanceof Failure) || error.facts.code === 'store_unusable') throw error;
    await session.note(`${error.message} So the events were not searched for rows that need review.`);
  }
}

/** False where `--wait` ran out. */
async function follow(batch: Batch, { house, sending, session, store }: BulkJob): Promise<boolean> {
  const { clock, signal } = house.ports;
  if (sending.waitMs === null) return true;
  const read = readingOver(session, batch.direction);
  const options = { concurrency: sending.concurrency, timeoutMs: sending.waitMs, signal };
  return followBatch(batch, options, { store, clock, read });
}

/** The store failed with rows under way: they stand at `intent`, and only a run that can write says what became of them. */
function broken(error: unknown, { name }: Batch, where: SendingFlags): unknown {
  // By its code: one that comes from the thread of the store has lost its class.
  if (!(error instanceof Failure) || error.facts.code !== 'store_unusable') return error;
  const text = `${error.message} Batch ${name} stopped at once, with rows under way. Mend that, then resume it: the same keys pay nothing twice.`;
  const nextCommand = batchCommand('resume', name, where);
  return new Failure(error.kind, text, { ...error.facts, outcome: 'unknown', nextCommand, cause: error });
}

function stopped(reason: Stopped, failure: ReturnType<typeof endingOf>, resume: string | null): Stopped {
  const saved = new Failure('defect', 'What was under way has ended, and the state is saved.', {
    outcome: failure?.facts.outcome ?? 'sent',
    nextCommand: resume ?? undefined,
  });
  return new Stopped(reason.signalName, reason.exitCode, saved);
}
