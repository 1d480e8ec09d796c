/** What `svc requests` and keyed sendings refuse, and what they say where something broke in the middle: each with the way on. */
import { conclude } from '../../client/conclusion.js';
import type { Conversation } from '../../client/client.js';
import type { Intent } from '../../journal/intent.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { Stopped } from '../../runtime/ports.js';
import { ReaderGone } from '../../runtime/streams.js';
import { nextCommand, type Where } from '../call/next.js';

/** No request with this key is open. */
export function notThere(): Failure {
  return new Failure(
    'not_found',
    'No request with this key is open: its outcome is known, or it was never sent from here.',
  );
}

/** It left too long ago, or the clock says nothing about how long ago that is. */
export function tooOld({ createdAtMs, idempotencyKey }: Intent): Failure {
  return new Failure(
    'unsafe',
    `A request with this key left at ${isoSeconds(createdAtMs)} by the clock of this machine, its outcome is not known, and after ` +
      '23 hours it is not certain that the service still knows its key: it could pay twice. Nothing was sent. Look for its ' +
      'reference in "svc events list --all"; then a person decides, and removes it with "svc requests forget KEY".',
    { code: 'too_old', outcome: 'unknown', idempotencyKey },
  );
}

/** It went somewhere else. */
export function otherPlace(intent: Intent, here: Pick<Intent, 'address' | 'environment'>): Failure {
  return new Failure(
    'unsafe',
    `This request went to ${intent.address} (${intent.environment}), and this command goes to ${here.address} ` +
      `(${here.environment}). Nothing was sent. Repeat it with the profile, address and environment it had.`,
    { code: 'other_place', outcome: 'unknown', idempotencyKey: intent.idempotencyKey },
  );
}

/** One key, two requests: which of them was carried out, if any, only a person can find out. */
export function twoRequests({ idempotencyKey }: Intent): Failure {
  return new Failure(
    'unsafe',
    'Two different requests with this key are open, and only one of them can have been carried out. Nothing was sent. Look for ' +
      'their references in "svc events list --all"; then a person decides, and removes both with "svc requests forget KEY".',
    { code: 'two_requests', outcome: 'unknown', idempotencyKey },
  );
}

/**
 * What broke between the sending and the end, as an error that names the key and how to go on: the request is in the journal.
 * @param conversation null where it broke before anything was known
 */
export function interrupted(
  error: unknown,
  conversation: Conversation | null,
  idempotencyKey: string,
  typed: readonly string[],
  where: Where,
): unknown {
  if (error instanceof ReaderGone || error instanceof Stopped || !(error instanceof Error)) return error;
  const known =
    error instanceof Failure ? error : new Failure('defect', `This is a defect of svc: ${error.message}`);
  const failure = new Failure(known.kind, known.message, {
    ...known.facts,
    outcome: conversation === null ? 'unknown' : conclude(conversation).outcome,
    idempotencyKey,
    nextCommand: nextCommand({ kind: 'repeat', key: idempotencyKey }, typed, where) ?? undefined,
    cause: error,
  });
  failure.stack = error.stack ?? '';
  return failure;
}
