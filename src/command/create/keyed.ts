/** Sends a keyed request: durable before anything leaves, its key said, and kept until its outcome is known and was shown. */
import { join } from 'node:path';
import type { Conversation } from '../../client/client.js';
import { conclude } from '../../client/conclusion.js';
import type { Prepared } from '../../client/preparation.js';
import { isRepeatable, type Intent, type KeptIntent } from '../../journal/intent.js';
import type { ErrorEnvelope } from '../../contract/errors.js';
import type { Journal } from '../../journal/journal.js';
import { DatabaseUnusable } from '../../runtime/database-unusable.js';
import { ensurePrivateFolder } from '../../runtime/folders.js';
import type { Ports } from '../../runtime/ports.js';
import { isSamePlace } from '../session/address.js';
import type { House } from '../base.js';
import type { Ending } from '../call/ending.js';
import type { Where } from '../call/next.js';
import { intentOf } from './keyed-intent.js';
import { interrupted, tooOld } from '../requests/request-failures.js';
import type { Session } from '../session/session.js';

/** Shows what came of a request, and says how the command ends. */
export type Present = (conversation: Conversation) => Promise<Ending>;

/** The journal, without what is older than 30 days. @throws Failure `local_state` where it can't be used */
export async function openRequests({ paths, clock }: Ports): Promise<Journal> {
  ensurePrivateFolder(paths.state);
  const { openJournal } = await import('../../journal/journal.js');
  const journal = openJournal(join(paths.state, 'requests.db'));
  try {
    journal.clear(clock.now());
    return journal;
  } catch (error) {
    journal.close();
    throw error;
  }
}

/**
 * Sends it, every attempt with the same key and bytes, and presents what came of it.
 * @throws Failure `local_state` where it could not be made durable, `unsafe` where the same request left too long ago: then
 *   nothing was sent. Else what `present` says
 */
export async function sendKeyed(
  session: Session,
  house: House,
  where: Where,
  prepared: Prepared,
  present: Present,
): Promise<void> {
  const { ports } = house;
  const journal = await openRequests(ports);
  try {
    const intent = intentOf(session, ports, prepared);
    const open = journal.list(intent.idempotencyKey).filter((other) => isSamePlace(other, intent));
    const old = open.find((other) => !isRepeatable(other, ports.clock.now()));
    if (old !== undefined) throw tooOld(old);
    await sendRecorded(journal, intent, session, house, where, prepared, present);
  } finally {
    journal.close();
  }
}

/** Makes this sending durable, sends it, and settles it: only what was answered and handed over leaves the journal. */
export async function sendRecorded(
  journal: Journal,
  intent: Intent,
  session: Session,
  { ports, typed }: House,
  where: Where,
  prepared: Prepared,
  present: Present,
): Promise<void> {
  const kept = journal.record(intent);
  const { idempotencyKey: key } = kept;
  await ports.errors.write(`Idempotency-Key: ${key}\n`);
  const conversation = await session.client
    .send(prepared, { signal: ports.signal })
    .catch((error: unknown) => {
      throw interrupted(error, null, key, typed, where);
    });
  const { error, isShown } = await present(conversation).catch((error: unknown) => {
    throw interrupted(error, conversation, key, typed, where);
  });
  if (!isShown) throw interrupted(error, conversation, key, typed, where);
  try {
    settle(journal, kept, conversation);
  } catch (error) {
    // The answer counts, not the note about it: a request that stays open by mistake is repeated without harm.
    if (!(error instanceof DatabaseUnusable)) throw error;
    await session.note(`${error.message} This request stays among "svc requests list".`);
  }
  if (error !== null) throw error;
}

/** Takes out of the journal what the conversation settles: every sending of these bytes, this one, or none. */
function settle(journal: Journal, kept: KeptIntent, conversation: Conversation): void {
  if (settlesAll(conversation)) journal.settleAll(kept);
  else if (conclude(conversation).outcome === 'unknown') journal.keep(kept);
  else journal.settle(kept);
}

/**
 * True where the answer settles every sending of these bytes with this key: an operation in hand, or a refusal by the service
 * that the replay of an operation would have come before. Anything else (401, 503, a gateway's page, a key that was lost on the
 * way) says nothing about an earlier sending.
 */
export function settlesAll(conversation: Conversation): boolean {
  const { operation, exitCode } = conclude(conversation);
  if (operation !== null) return true;
  const last = conversation.attempts.at(-1);
  if (last?.kind !== 'refused' || last.error === null || (exitCode !== 6 && exitCode !== 7)) return false;
  return comesAfterReplay(last.error);
}

/** True for a refusal that the replay of an operation would have come before: neither the key nor the body was lost on the way. */
export function comesAfterReplay({ code, details = [] }: ErrorEnvelope['error']): boolean {
  const isAboutKey = details.some(({ field }) => field.toLowerCase() === 'idempotency-key');
  return !isAboutKey && code !== 'idempotency_key_required' && code !== 'body_invalid';
}
