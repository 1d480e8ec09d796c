import { DELIVERY_HEADERS, signatureHeader } from '../../contract/events.js';
import type { DeliveredEvent } from './delivery.js';

const SECRETS_MAX = 2;

type ParsedSecrets = { readonly secrets: readonly string[] } | { readonly problem: string };

export function readSecrets(text: string): ParsedSecrets {
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

/** Refuses an empty secret, because anybody could sign with it. */
export function requireSecrets(secrets: readonly string[]): void {
  if (secrets.length === 0 || secrets.length > SECRETS_MAX)
    throw new RangeError('one or two signing secrets');
  if (secrets.some((secret) => secret === '' || /\s/.test(secret))) {
    throw new RangeError('a signing secret is never empty and holds no white space');
  }
}

export type DeliveryHeaders = Readonly<
  Record<(typeof DELIVERY_HEADERS)[keyof typeof DELIVERY_HEADERS], string>
>;

export function signDelivery(
  body: Uint8Array,
  event: Pick<DeliveredEvent, 'id' | 'type'>,
  secrets: readonly string[],
  unixSeconds: number,
): DeliveryHeaders {
  requireSecrets(secrets);
  if (!isHeaderSafe(event)) throw new RangeError('no header can carry the id or the type of this event');
  const stamp = String(unixSeconds);
  return {
    [DELIVERY_HEADERS.signature]: signatureHeader(secrets, stamp, body),
    [DELIVERY_HEADERS.timestamp]: stamp,
    [DELIVERY_HEADERS.type]: event.type,
    [DELIVERY_HEADERS.id]: event.id,
  };
}

/** Refuses control characters and outer spaces, because a header cannot carry them unchanged. */
export function isHeaderSafe({ id, type }: Pick<DeliveredEvent, 'id' | 'type'>): boolean {
  return [id, type].every((text) => !/\p{Cc}/u.test(text) && text.trim() === text);
}
