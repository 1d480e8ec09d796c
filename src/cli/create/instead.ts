/** In place of a sending that may not be made again: where the events hold the one operation that is its own, that one is shown, and settles it. */
import type { Conversation } from '../../client/client.js';
import { conclude } from '../../client/conclusion.js';
import type { Prepared } from '../../client/preparation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import { momentText } from '../../contract/notation.js';
import type { Journal } from '../../journal/journal.js';
import type { KeptRequest } from '../../journal/request.js';
import { Failure } from '../../runtime/failure.js';
import { durableEnding, failureOf } from '../call/ending.js';
import type { Where } from '../line/where.js';
import type { SessionRun } from '../session/session.js';
import { ownOperation } from './from-events.js';
import { noteKept, type Present } from './sending.js';
import { settle } from './settling.js';
import type { StandingList } from './standing.js';

export interface NotSentAgain {
  readonly request: KeptRequest;
  /** What would have left. */
  readonly prepared: Prepared;
  readonly present: Present;
  readonly journal: Journal;
  /** Of its reference. */
  readonly standing: StandingList;
}

/**
 * Nothing leaves but reads.
 * @returns false where the events do not say what became of it, or can't be read: then a person decides
 * @throws Failure by the table of exit codes where the operation is not shown, or has failed; DatabaseUnusable; Stopped
 */
export async function settledInstead(
  { request, prepared, present, journal, standing }: NotSentAgain,
  run: SessionRun<Where>,
): Promise<boolean> {
  const { session, ports } = run;
  if (request.referenceMark === null || !(await isFeedRead(standing, run))) return false;
  const own = ownOperation(request, await standing.evidence(request.row));
  if (own === null) return false;
  const conversation = await readAs(prepared, own, run);
  const when = own.createdAtMs === null ? 'an unknown time' : momentText(own.createdAtMs);
  await session.note(
    `The events have the operation of this request: ${own.id}, created at ${when}. Nothing was sent again.`,
  );
  const { error, isShown, seen } = await present(conversation).then((ending) =>
    durableEnding(ending, conversation, ports),
  );
  if (isShown)
    await noteKept(session, async () => {
      await settle(journal, request, conversation, { anchor: session.clock.anchor });
      if (seen !== null && seen.id === own.id) await journal.note(seen.id, seen.status);
    });
  if (error !== null) throw error;
  return true;
}

/** What keeps the events from being read leaves the request as it is. */
async function isFeedRead(standing: StandingList, { session }: SessionRun<Where>): Promise<boolean> {
  try {
    await standing.readFeed();
    return true;
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'local_state' || error.kind === 'locked') throw error;
    await session.note(`${error.head} svc cannot read the events, so they do not show the outcome.`);
    return false;
  }
}

/** The operation as the service shows it, as if it had answered the request. @throws Failure where it does not show it */
async function readAs(
  prepared: Prepared,
  { id }: OperationFacts,
  run: SessionRun<Where>,
): Promise<Conversation> {
  const { signal } = run.ports;
  const read = await run.session.client.call('transactions.get', { id }, { signal });
  signal.throwIfAborted();
  const conclusion = conclude(read);
  if (conclusion.operation === null) {
    const failure = failureOf(conclusion, read, run);
    throw new Failure(failure.kind, failure.head, {
      ...failure.facts,
      ...{ outcome: 'unknown', idempotencyKey: prepared.idempotencyKey ?? undefined },
    });
  }
  return {
    ...prepared,
    attempts: read.attempts,
    lookup: null,
    create: { isOwnKey: true, firstLeftMs: null },
  };
}
