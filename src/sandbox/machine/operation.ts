/**
 * The public operation: which fields it has in each of its states, in the order of section 2.1; and the texts that the service itself
 * puts on it (sections 1 and 5).
 */
import { ECHOED, type Echoed } from '../../contract/body-fields.js';
import type { OperationFailure } from '../../contract/failures.js';
import type { Direction, PendingReason } from '../../contract/operation.js';
import type { Operation } from '../../contract/operation-members.js';
import { isoSeconds } from '../../runtime/clock.js';

/** What stays the same for the whole life of an operation. */
export type Core = Pick<
  Operation,
  | 'id'
  | 'type'
  | 'country'
  | 'currency'
  | 'method'
  | 'amount'
  | 'expires_at'
  | keyof Echoed
  | 'concept'
  | 'created_by'
  | 'created_at'
>;

/** The state an operation moves to; times in ms. */
export type OperationState =
  | { readonly status: 'pending'; readonly reason: PendingReason; readonly codeExpiresAt?: number }
  | { readonly status: 'confirmed'; readonly bankReference: string }
  | { readonly status: 'failed'; readonly failure: OperationFailure };

/**
 * The operation in that state since `nowMs`. Whatever belongs to another state is gone: a code's expiry once no code is
 * awaited; `expires_at` is null once cancelled.
 */
export function revise(core: Core, state: OperationState, nowMs: number): Operation {
  const now = isoSeconds(nowMs);
  const codeExpiresAt = state.status === 'pending' ? state.codeExpiresAt : undefined;
  const failure = state.status === 'failed' ? state.failure : null;
  const expiresAt = failure?.code === 'cancelled' ? null : core.expires_at;
  return {
    id: core.id,
    type: core.type,
    country: core.country,
    currency: core.currency,
    method: core.method,
    amount: core.amount,
    status: state.status,
    pending_reason: state.status === 'pending' ? state.reason : null,
    ...(codeExpiresAt === undefined ? {} : { code_expires_at: isoSeconds(codeExpiresAt) }),
    ...(core.expires_at === undefined || expiresAt === undefined ? {} : { expires_at: expiresAt }),
    bank_reference: state.status === 'confirmed' ? state.bankReference : null,
    ...(state.status === 'confirmed' ? { confirmed_at: now } : {}),
    failure,
    ...echoOf(core),
    concept: core.concept,
    created_by: core.created_by,
    created_at: core.created_at,
    updated_at: now,
  };
}

/** What was sent, and nothing for what was not. */
function echoOf(core: Core): Echoed {
  const sent = ECHOED.filter(([name]) => core[name] !== undefined);
  return Object.fromEntries(sent.map(([name]) => [name, core[name]])) as unknown as Echoed;
}

const WORDS: Readonly<Record<Direction, string>> = { payin: 'Cobro', payout: 'Pago' };

/** `<word> <three letters of the company><six characters of the id>`, the characters in capitals (section 1). */
export function concept(type: Direction, companyPrefix: string, id: string): string {
  return `${WORDS[type]} ${companyPrefix}${id.slice(0, 6).toUpperCase()}`;
}

/** A company's three letters: the first of its name, in capitals, filled up with `X`. */
export function companyPrefix(company: string): string {
  return company
    .replace(/[^A-Za-z]/g, '')
    .slice(0, 3)
    .toUpperCase()
    .padEnd(3, 'X');
}

/** The n-th bank reference, from 1: sequential eight-digit numbers (section 5). */
export function bankReference(counter: number): string {
  return counter.toString().padStart(8, '0');
}
