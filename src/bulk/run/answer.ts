/** What a row keeps of an attempt that gave it no operation: a code, and what was said to it. Pure. */
import type { Attempt } from '../../contract/attempt.js';

/** The code of a row whose key has made another payment. */
export const KEY_REUSED = 'idempotency_key_reused';

/** True for a 409 that says so: this request was not carried out. */
export function isReused(attempt: Attempt): boolean {
  return attempt.kind === 'refused' && attempt.answer.status === 409 && attempt.error?.code === KEY_REUSED;
}

export function codeOf(attempt: Attempt): string {
  switch (attempt.kind) {
    case 'refused':
      return attempt.error?.code ?? `http_${attempt.answer.status}`;
    case 'unavailable':
      return (
        attempt.error?.code ?? (attempt.answer.status === 429 ? 'rate_limited' : 'temporarily_unavailable')
      );
    case 'server_error':
      return attempt.error?.code ?? 'server_error';
    case 'broken':
      return attempt.error?.code ?? 'contract_broken';
    case 'lost':
      return 'no_answer';
    case 'not_sent':
      return 'not_sent';
    default:
      return 'contract_broken';
  }
}

/** The fields that a refusal names, else its message; null where the answer is none that says why. */
export function detailOf(attempt: Attempt): string | null {
  if (attempt.kind === 'broken') return `HTTP ${attempt.answer.status}`;
  if (attempt.kind !== 'refused') return null;
  const fields = (attempt.error?.details ?? []).map(({ field, code }) => `${field} ${code}`);
  return fields.length > 0 ? fields.join('; ') : (attempt.error?.message ?? '');
}
