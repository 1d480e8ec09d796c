/** Which operations of the feed may be what a row became: they have its reference, and were not there before it left. Pure. */
import type { OperationClaims } from './delivery.js';

/** How far this machine's clock and the service's may be apart. */
export const CLOCK_TOLERANCE_MINUTES = 10;

/** True where the operation was there before the row left: an earlier generation of it, or another payment. One that does not say is not. */
export function isEarlier({ createdAt = '' }: OperationClaims, sentAtMs: number | null): boolean {
  return sentAtMs !== null && Date.parse(createdAt) < sentAtMs - CLOCK_TOLERANCE_MINUTES * 60_000;
}

/** Operations as events name them, each once. */
export class Candidates {
  readonly #byId = new Map<string, OperationClaims>();

  /** Takes the word of a later event, but for one that failed: that is final. */
  add(operation: OperationClaims): void {
    if (this.#byId.get(operation.id)?.status !== 'failed') this.#byId.set(operation.id, operation);
  }

  /** Those that did not fail come first: only they are money. */
  all(): OperationClaims[] {
    const all = [...this.#byId.values()];
    return [...all.filter(isMoney), ...all.filter((operation) => !isMoney(operation))];
  }
}

/** True where it was paid, or may be yet. */
export function isMoney({ status }: OperationClaims): boolean {
  return status !== 'failed';
}

/** As a person reads it. */
export function candidateText({ id, status, amount = '?', currency = '?' }: OperationClaims): string {
  return `${id}, ${status}, ${amount} ${currency}`;
}
