/** The one-time code of a `debit_otp`: awaited, confirmed with one attempt, requested again (sections 2.4, 3 and 8). */
import type { Rejection } from '../../contract/create.js';
import { LIMITS } from '../../contract/limits.js';
import { revise } from './operation.js';
import { answer, fail, type Subject, verdictFor } from './settle.js';
import type { Context, OperationRecord, Transition } from './types.js';

const CODE_VALID_MS = 5 * 60_000;

/** A code was requested: it is valid from now on, and the one before no more. */
export function awaitCode({ operation, hidden }: Subject, resends: number, { nowMs }: Context): Transition {
  const codeExpiresAt = nowMs + CODE_VALID_MS;
  return {
    held: {
      operation: revise(operation, { status: 'pending', reason: 'awaiting_code', codeExpiresAt }, nowMs),
      hidden: { ...hidden, resends, code_expires_at: codeExpiresAt },
    },
    entries: [],
    event: null,
  };
}

/**
 * The one attempt at the code, a text that is not empty. Too late is `code_expired`, right or wrong; a wrong code is
 * `code_invalid` whatever the document; only then does the bank answer. `code_not_expected` where no code is awaited.
 */
export function confirm(held: OperationRecord, code: string, context: Context): Transition | Rejection {
  const { code_expires_at: expiresAt } = held.hidden;
  if (!isAwaitingCode(held) || expiresAt === null) return { refusal: 'code_not_expected' };
  if (context.nowMs >= expiresAt) return fail(held, 'code_rejected', 'code_expired', context);
  if (code !== context.code) return fail(held, 'code_rejected', 'code_invalid', context);
  return answer(held, verdictFor(held, context), context);
}

/** A new code, which revives a pay-in whose code had expired. `code_not_expected` where none is awaited, `too_many_codes` after five. */
export function resend(held: OperationRecord, context: Context): Transition | Rejection {
  if (!isAwaitingCode(held)) return { refusal: 'code_not_expected' };
  if (held.hidden.resends >= LIMITS.codeResends) return { refusal: 'too_many_codes' };
  return awaitCode(held, held.hidden.resends + 1, context);
}

function isAwaitingCode({ operation }: OperationRecord): boolean {
  return operation.pending_reason === 'awaiting_code';
}
