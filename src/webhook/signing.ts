/** Signs an event: the headers of its delivery (section 6). Pure. */
import { DELIVERY_HEADERS } from '../contract/events.js';
import { signatureHeader } from '../contract/signature.js';
import type { DeliveredEvent } from './event.js';
import { requireSecrets } from './secrets.js';

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
