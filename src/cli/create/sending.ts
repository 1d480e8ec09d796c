/** One sending of a create that is durable: its key is said, its bytes leave, and what came of it is settled once it was handed over. */
import type { Conversation } from '../../client/client.js';
import { conclude, type Conclusion } from '../../client/conclusion.js';
import type { Prepared } from '../../client/preparation.js';
import type { Journal, Learnt, Recorded } from '../../journal/journal.js';
import { isDatabaseCode } from '../../runtime/database-unusable.js';
import { Failure } from '../../runtime/failure.js';
import { durableEnding, type Ending } from '../call/ending.js';
import type { Where } from '../line/where.js';
import type { Session, SessionRun } from '../session/session.js';
import { firstLeaving, interrupted, noteOlder, settle } from './settling.js';

/** Shows what came of a request, and says how the command ends. */
export type Present = (conversation: Conversation) => Promise<Ending>;

/** What an answer to a derived key may say beside the payment that was meant. */
export interface DerivedEnds {
  /** An older payment that did not fail: that one stands in the way. */
  readonly older: (conclusion: Conclusion) => Failure;
  /** The key has made another request; these bytes were never carried out. True where the next key is to be tried. */
  readonly reused: () => Promise<boolean>;
  /** A payment that has failed leads to the next key. */
  readonly goesOn: boolean;
}

export interface KeyedSending {
  readonly journal: Journal;
  readonly recorded: Recorded;
  readonly prepared: Prepared;
  readonly present: Present;
  /** Null where no key is derived. */
  readonly derived: DerivedEnds | null;
  /** What an own key made that was used before, said in the failure that says so. */
  readonly explain?: (failure: Failure) => Promise<Failure>;
}

/**
 * @returns `next` where a try of this payment has failed under this key: the next one takes the next
 * @throws Failure by the table of exit codes; what `present` says; Stopped
 */
export async function sendRecorded(sending: KeyedSending, run: SessionRun<Where>): Promise<'ended' | 'next'> {
  const { journal, recorded, prepared, present } = sending;
  const { request, known, isNew } = recorded;
  const { idempotencyKey: key, isOwnKey, generation } = request;
  const { session, ports } = run;
  const guard = (error: unknown, conversation: Conversation | null): unknown =>
    interrupted(error, conversation, key, run);
  await ports.errors.write(`Idempotency-Key: ${key}\n`);
  // What is known to have been made by this key is no surprise, nor is what a key has made that names the payment.
  const create = {
    isOwnKey: isOwnKey || known !== null || generation !== null,
    firstLeftMs: isNew || known !== null ? null : request.firstLeftMs,
  };
  const learnt = firstLeaving(session, recorded);
  const conversation = await session.client
    .send(prepared, { signal: ports.signal, create, left: request.left ?? undefined })
    .catch((error: unknown) => {
      throw guard(error, null);
    });
  const conclusion = conclude(conversation);
  if (generation !== null && known === null && sending.derived !== null) {
    const ends = { ...sending, derived: sending.derived };
    const end = await endOfDerived(conclusion, conversation, ends, { session, learnt });
    if (end !== 'own') return end;
  }
  await noteOlder(conversation, known, session);
  const { error, isShown, seen } = await present(conversation)
    .then((ending) => durableEnding(ending, conversation, ports))
    .catch((reason: unknown) => {
      throw guard(reason, conversation);
    });
  await noteKept(session, async () => {
    if (!isShown) return journal.keep(request, learnt());
    await settle(journal, request, conversation, learnt());
    // It was followed since.
    if (seen !== null && seen.id === conclusion.operation?.id) await journal.note(seen.id, seen.status);
  });
  if (!isShown) throw guard(error, conversation);
  if (error === null) return 'ended';
  const isReused = error instanceof Failure && error.facts.code === REUSED;
  throw isReused && isOwnKey && sending.explain !== undefined ? await sending.explain(error) : error;
}

const REUSED = 'idempotency_key_reused';

interface Settling {
  readonly session: Session;
  readonly learnt: () => Learnt;
}

/** What the answer to a derived key says of another request; `own` where it is about this one. */
async function endOfDerived(
  conclusion: Conclusion,
  conversation: Conversation,
  { journal, recorded: { request }, derived }: KeyedSending & { readonly derived: DerivedEnds },
  { session, learnt }: Settling,
): Promise<'own' | 'next'> {
  const { operation, isOlder, exitCode } = conclusion;
  if (operation !== null && isOlder && exitCode !== 12) {
    if (operation.status === 'failed' && !derived.goesOn) return 'own';
    await noteKept(session, () => settle(journal, request, conversation, learnt()));
    if (operation.status === 'failed') return 'next';
    throw derived.older(conclusion);
  }
  if (!isOfAnother(conversation)) return 'own';
  await journal.refute(request);
  return (await derived.reused()) ? 'next' : 'own';
}

/** The service has said that the key made another request: then no attempt with these bytes was carried out, whatever became of its answer. */
function isOfAnother({ attempts }: Conversation): boolean {
  return attempts.some((attempt) => attempt.kind === 'refused' && attempt.error?.code === REUSED);
}

/** The answer counts, not the note about it: a request that stays open by mistake is repeated without harm. */
export async function noteKept(session: Session, note: () => Promise<void>): Promise<void> {
  try {
    await note();
  } catch (reason) {
    if (!(reason instanceof Failure) || !isDatabaseCode(reason.facts.code)) throw reason;
    await session.note(`${reason.message} This request stays in "svc requests list".`);
  }
}
