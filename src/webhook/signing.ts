/** Signing secrets as text, one, or two during a rotation; and an event signed with them: the headers of its delivery (section 6). Pure. */
import { DELIVERY_HEADERS, signatureHeader } from '../contract/events.js';
import type { DeliveredEvent } from './delivery.js';

/** During a rotation the newest secret and the one it replaced are valid (section 6). */
const SECRETS_MAX = 2;

type SecretsRead =
  | { readonly secrets: readonly string[] }
  /** What is wrong, in words that follow the name of the source; no secret is in it. */
  | { readonly problem: string };

/** The secrets in a text, in their order; white space around them is no part of them, so that a file may end with a newline. */
export function readSecrets(text: string): SecretsRead {
  const secrets = text.split(/\s+/).filter((part) => part !== '');
  if (secrets.length === 0) return { problem: 'contains no secret' };
  if (secrets.length > SECRETS_MAX) {
    return {
      problem: `contains ${secrets.length} secrets, but at most ${SECRETS_MAX} can be valid at a time`,
    };
  }
  if (/[\p{Cc}\uFFFD]/u.test(secrets.join(''))) return { problem: 'contains bytes that are not text' };
  return { secrets };
}

/**
 * Refuses secrets that nothing may be verified with: an empty one would verify what anybody signed with no key at all.
 * @throws RangeError
 */
export function requireSecrets(secrets: readonly string[]): void {
  if (secrets.length === 0 || secrets.length > SECRETS_MAX)
    throw new RangeError('one or two signing secrets');
  if (secrets.some((secret) => secret === '' || /\s/.test(secret))) {
    throw new RangeError('a signing secret is never empty and holds no white space');
  }
}

/** The headers that are the service's own, in the order of section 6. */
export type DeliveryHeaders = Readonly<
  Record<(typeof DELIVERY_HEADERS)[keyof typeof DELIVERY_HEADERS], string>
>;

/**
 * The four headers for these bytes.
 * @param body the event's bytes, signed as they are
 * @param event what `readEvent` found in them
 * @param secrets newest first: one, or two during a rotation
 * @throws RangeError for secrets that nothing may be signed with, or an event that is not carried (`isCarried`)
 */
export function signDelivery(
  body: Uint8Array,
  event: Pick<DeliveredEvent, 'id' | 'type'>,
  secrets: readonly string[],
  unixSeconds: number,
): DeliveryHeaders {
  requireSecrets(secrets);
  if (!isCarried(event)) throw new RangeError('no header can carry the id or the type of this event');
  const stamp = String(unixSeconds);
  return {
    [DELIVERY_HEADERS.signature]: signatureHeader(secrets, stamp, body),
    [DELIVERY_HEADERS.timestamp]: stamp,
    [DELIVERY_HEADERS.type]: event.type,
    [DELIVERY_HEADERS.id]: event.id,
  };
}

/** False for an event whose id or type holds line ends, or spaces around it: a receiver would get another text. */
export function isCarried({ id, type }: Pick<DeliveredEvent, 'id' | 'type'>): boolean {
  return [id, type].every((text) => !/\p{Cc}/u.test(text) && text.trim() === text);
}
