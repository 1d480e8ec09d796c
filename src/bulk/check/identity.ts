/** Which payment a row is for: how many of its reference came before it on purpose, and which try of it this is. Pure. */
import type { PaymentIdentity } from '../key.js';
import type { BatchFacts } from '../store/batch.js';
import type { Evidence } from './evidence.js';
import { paymentsIn, type KnownPayment } from './payments.js';

/** What the key of a payment says beside its name. */
export type Identity = Pick<PaymentIdentity, 'ordinal' | 'generation'>;

/** True for a payment that `--new-since` calls another one; what is open is none. @param sinceMs in the service's time */
export function isBefore(
  { operation, atMs }: Pick<KnownPayment, 'operation' | 'atMs'>,
  sinceMs: number,
): boolean {
  return operation !== null && atMs !== null && atMs < sinceMs;
}

/** Which payment of its reference a row is for now. */
export function identityOf(
  evidence: Evidence,
  { direction, sinceMs }: Pick<BatchFacts, 'direction' | 'sinceMs'>,
): Identity {
  const ordinal = ordinalOf(paymentsIn(evidence, direction), sinceMs);
  return { ordinal, generation: generationOf(evidence, ordinal, { sinceMs }) };
}

/** How many payments `--new-since` calls others; 0 without it. */
export function ordinalOf(payments: readonly KnownPayment[], sinceMs: number | null): number {
  return sinceMs === null ? 0 : payments.filter((payment) => isBefore(payment, sinceMs)).length;
}

/**
 * One more than the operations that failed, as the feed and the books of this machine know them: a failed operation keeps its key for ever.
 * With payments from before `--new-since`, only tries since then count; without any all of them do, so that the key is the one that is
 * derived without the flag.
 */
export function generationOf(
  { operations, rows, singles }: Evidence,
  ordinal: number,
  { sinceMs }: Pick<BatchFacts, 'sinceMs'>,
): number {
  const counts = (atMs: number | null): boolean =>
    ordinal === 0 || sinceMs === null || atMs === null || atMs >= sinceMs;
  const failed = new Set<string>();
  for (const { id, status, createdAtMs } of operations)
    if (status === 'failed' && counts(createdAtMs)) failed.add(id);
  for (const { operation, status, atMs } of singles)
    if (operation !== null && status === 'failed' && counts(atMs)) failed.add(operation);
  const tried = rows.filter((row) => row.state === 'failed' && row.ordinal === ordinal);
  return 1 + Math.max(failed.size, ...tried.map(({ generation }) => generation));
}
