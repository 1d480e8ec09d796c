/** A conclusion that is no success, as the failure a command ends with. */
import type { Conversation } from '../../client/client.js';
import type { Conclusion } from '../../client/conclusion.js';
import { EXIT_CODES, Failure, type FailureKind } from '../../runtime/failure.js';
import type { House } from '../base.js';
import { nextCommand, type Where } from './next.js';

const KINDS = new Map<number, FailureKind>(
  Object.entries(EXIT_CODES).map(([kind, code]) => [code, kind as FailureKind]),
);

/** The failure, with everything a script needs to go on. */
export function failureOf(
  conclusion: Conclusion,
  conversation: Conversation,
  house: House,
  where: Where,
): Failure {
  const { error, exitCode, outcome, retryable, next } = conclusion;
  return new Failure(KINDS.get(exitCode) ?? 'defect', error?.message ?? 'It did not succeed.', {
    code: error?.code,
    details: error?.details ?? undefined,
    status: error?.status ?? undefined,
    outcome,
    retryable,
    idempotencyKey: conversation.idempotencyKey ?? undefined,
    requestId: error?.requestId ?? undefined,
    nextCommand: nextCommand(next, house.typed, where) ?? undefined,
  });
}
