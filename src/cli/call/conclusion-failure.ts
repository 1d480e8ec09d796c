/** A conclusion that is no success, as the failure a command ends with. */
import type { Conversation } from '../../client/client.js';
import type { Conclusion } from '../../client/conclusion.js';
import { EXIT_CODES, Failure, type FailureKind } from '../../runtime/failure.js';
import { nextCommand, type TypedLine } from './next.js';

const KINDS = new Map<number, FailureKind>(
  Object.entries(EXIT_CODES).map(([kind, code]) => [code, kind as FailureKind]),
);

/** The failure, with everything a script needs to go on. */
export function failureOf(conclusion: Conclusion, conversation: Conversation, run: TypedLine): Failure {
  const { error, exitCode, outcome, retryable, next, mayBeElsewhere } = conclusion;
  const { idempotencyKey } = conversation;
  const message = error?.message ?? 'It did not succeed.';
  // A redirect, or a path that is not there: perhaps this is not the service at all.
  const elsewhere =
    mayBeElsewhere && idempotencyKey !== null
      ? ` If this address is not the service, nothing was paid: ${nextCommand({ kind: 'forget', key: idempotencyKey }, run) ?? ''}`
      : '';
  return new Failure(KINDS.get(exitCode) ?? 'defect', message + elsewhere, {
    code: error?.code,
    details: error?.details ?? undefined,
    status: error?.status ?? undefined,
    outcome,
    retryable,
    idempotencyKey: idempotencyKey ?? undefined,
    requestId: error?.requestId ?? undefined,
    nextCommand: nextCommand(next, run) ?? undefined,
  });
}
