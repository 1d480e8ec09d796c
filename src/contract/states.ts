/** The public states of an operation and why it is still pending (sections 1 and 3). */

export const STATUSES = ['pending', 'confirmed', 'failed'] as const;
export type Status = (typeof STATUSES)[number];

export type PendingReason = 'awaiting_code' | 'awaiting_payment' | 'processing';

/** `confirmed` and `failed` are final: a failed operation is never reopened (section 3). */
export function isFinal(status: string): boolean {
  return status === 'confirmed' || status === 'failed';
}
