/** What a 409 under the key of a payment means: the key is used, and by what. Pure but for the questions it is given. */
import type { Attempt } from './attempt.js';
import { KEY_SAFE_MS } from './limits.js';
import type { Direction } from './operation.js';

/**
 * What a machine keeps of the key of a payment. `refused`: these bytes were refused under it. `used`: other data used it, and nothing says which.
 * `not_paid`: a person said so after that.
 */
export interface KeyNote {
  readonly kind: 'refused' | 'used' | 'not_paid';
  /** The bytes that were refused; else direction and reference of the payment, a line each. */
  readonly body: Uint8Array;
  readonly notedAtMs: number;
}

/** As notes keep it that are not about refused bytes. */
export function payeeNote(direction: Direction, reference: string): Uint8Array {
  return Buffer.from(`${direction}\n${reference}`);
}

/** The notes of one key, and what may be asked of the service about it. */
export interface UsedKey {
  readonly notes: readonly KeyNote[];
  /** What is sent now. */
  readonly body: Uint8Array;
  /** An attempt of an earlier process with these bytes has no answer. */
  readonly isOpen: boolean;
  readonly nowMs: number;
  /** The events have as many failed tries as it takes, from before the attempt that has no answer. */
  readonly isExplained: boolean;
  /** Sends bytes again under this key, which was answered 409 just now: a key in use carries nothing out. */
  readonly resend: (body: Uint8Array) => Promise<Attempt>;
  /** Asks whether the service remembers the keys of refused requests, with a body that cannot pay and a key that nobody needs. */
  readonly remembersRefusals: (body: Uint8Array) => Promise<boolean>;
}

/** True where it is certain that no payment used the key: the next try may take the next one. */
export async function isFreeToGoOn(key: UsedKey): Promise<boolean> {
  if (hasWord(key)) return true;
  for (const { kind, body } of key.notes) {
    if (kind !== 'refused' || Buffer.compare(body, key.body) === 0) continue;
    const attempt = await key.resend(body);
    if (attempt.kind === 'success' && attempt.operation?.status === 'failed') return true;
    const isRefused = attempt.kind === 'refused' && attempt.answer.status !== 409;
    if (!key.isOpen && isRefused && (await key.remembersRefusals(body))) return true;
  }
  return key.isExplained;
}

/** True where a key that is known to be used is not sent again: nothing could explain it now either. */
export function isKeptBack(key: Pick<UsedKey, 'notes' | 'nowMs' | 'isExplained'>): boolean {
  const has = (kind: KeyNote['kind']): boolean => key.notes.some((note) => note.kind === kind);
  return has('used') && !has('refused') && !key.isExplained && !hasWord(key);
}

/** A person's word counts as long as the service remembers the key. */
function hasWord({ notes, nowMs }: Pick<UsedKey, 'notes' | 'nowMs'>): boolean {
  return notes.some(({ kind, notedAtMs }) => kind === 'not_paid' && nowMs - notedAtMs < KEY_SAFE_MS);
}
