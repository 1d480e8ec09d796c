/** Finds out after a 409 whether a payment used the idempotency key. Pure: the caller passes in the functions that ask the service. */
import type { Attempt } from './attempt.js';
import { KEY_SAFE_MS } from './limits.js';
import type { Direction } from './operation.js';

/**
 * A stored note about the key of a payment. `refused`: the service refused these bytes under the key. `used`: other data, unknown to svc, used the
 * key. `not_paid`: a person then said that no payment was made.
 */
export interface KeyNote {
  readonly kind: 'refused' | 'used' | 'not_paid';
  /** For `refused`, the refused bytes; else direction and reference of the payment, a line each. */
  readonly body: Uint8Array;
  readonly notedAtMs: number;
}

/** Returns the `body` of a note of the kind `used` or `not_paid`. */
export function paymentNoteBody(direction: Direction, reference: string): Uint8Array {
  return Buffer.from(`${direction}\n${reference}`);
}

/** What is known of a key after a 409, and the requests that can test the key. */
export interface UsedKey {
  readonly notes: readonly KeyNote[];
  /** The bytes to send now. */
  readonly body: Uint8Array;
  /** True if an earlier process sent these bytes and got no answer. */
  readonly hasOpenAttempt: boolean;
  readonly nowMs: number;
  /** True if the event feed has enough failed operations, older than the attempt without an answer, to explain the used key. */
  readonly isExplained: boolean;
  /** Sends bytes again under this key. Safe after a 409: with a used key the service carries nothing out. */
  readonly resend: (body: Uint8Array) => Promise<Attempt>;
  /** Tests whether the service remembers the keys of refused requests, with a body that cannot pay and a throw-away key. */
  readonly remembersRefusals: (body: Uint8Array) => Promise<boolean>;
}

/** True if certainly no payment used the key: then the next try may use the next key. */
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

/** True if sending again under a used key is pointless: no request can explain who used it. */
export function isResendPointless(key: Pick<UsedKey, 'notes' | 'nowMs' | 'isExplained'>): boolean {
  const hasNote = (kind: KeyNote['kind']): boolean => key.notes.some((note) => note.kind === kind);
  return hasNote('used') && !hasNote('refused') && !key.isExplained && !isDeclaredUnpaid(key);
}

/** True if a person said "not paid". That counts only as long as the service remembers the key. */
function isDeclaredUnpaid({ notes, nowMs }: Pick<UsedKey, 'notes' | 'nowMs'>): boolean {
  return notes.some(({ kind, notedAtMs }) => kind === 'not_paid' && nowMs - notedAtMs < KEY_SAFE_MS);
}
