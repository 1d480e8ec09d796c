import type { Attempt } from './attempt.js';
import { KEY_SAFE_MS } from './limits.js';
import type { Direction } from './operation.js';

export interface KeyNote {
  readonly kind: 'refused' | 'used' | 'not_paid';
  /** A `refused` note holds the refused body, and the other kinds hold what `paymentNoteBody` returns. */
  readonly body: Uint8Array;
  readonly notedAtMs: number;
}

export function paymentNoteBody(direction: Direction, reference: string): Uint8Array {
  return Buffer.from(`${direction}\n${reference}`);
}

export interface UsedKey {
  readonly notes: readonly KeyNote[];
  readonly body: Uint8Array;
  readonly hasOpenAttempt: boolean;
  readonly nowMs: number;
  readonly isExplained: boolean;
  /** It pays nothing after a 409, because the service carries out nothing new under a used idempotency key. */
  readonly resend: (body: Uint8Array) => Promise<Attempt>;
  readonly remembersRefusals: (body: Uint8Array) => Promise<boolean>;
}

/** Returns true only if no payment can have used the idempotency key. */
export async function mayUseNextKey(key: UsedKey): Promise<boolean> {
  if (isDeclaredUnpaid(key)) return true;
  for (const { kind, body } of key.notes) {
    if (kind !== 'refused' || Buffer.compare(body, key.body) === 0) continue;
    const attempt = await key.resend(body);
    if (attempt.kind === 'success' && attempt.operation?.status === 'failed') return true;
    const isRefused = attempt.kind === 'refused' && attempt.answer.status !== 409;
    if (!key.hasOpenAttempt && isRefused && (await key.remembersRefusals(body))) return true;
  }
  return key.isExplained;
}

export function isResendPointless(key: Pick<UsedKey, 'notes' | 'nowMs' | 'isExplained'>): boolean {
  const hasNote = (kind: KeyNote['kind']): boolean => key.notes.some((note) => note.kind === kind);
  return hasNote('used') && !hasNote('refused') && !key.isExplained && !isDeclaredUnpaid(key);
}

/** A `not_paid` note counts only as long as the service remembers the idempotency key. */
function isDeclaredUnpaid({ notes, nowMs }: Pick<UsedKey, 'notes' | 'nowMs'>): boolean {
  return notes.some(({ kind, notedAtMs }) => kind === 'not_paid' && nowMs - notedAtMs < KEY_SAFE_MS);
}
