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
 * @throws RangeError for secrets that nothing may be signed with, or an id or type that no header can carry
 */
export function signDelivery(
  body: Uint8Array,
  event: Pick<DeliveredEvent, 'id' | 'type'>,
  secrets: readonly string[],
  unixSeconds: number,
): DeliveryHeaders {
  requireSecrets(secrets);
  const stamp = String(unixSeconds);
  return {
    [DELIVERY_HEADERS.signature]: signatureHeader(secrets, stamp, body),
    [DELIVERY_HEADERS.timestamp]: stamp,
    [DELIVERY_HEADERS.type]: carried(event.type, 'type'),
    [DELIVERY_HEADERS.id]: carried(event.id, 'id'),
  };
}

/** A receiver would get another text where this one holds line ends, or spaces around it. */
function carried(text: string, name: string): string {
  if (/\p{Cc}/u.test(text) || text.trim() !== text)
    throw new RangeError(`no header can carry the event's ${name}`);
  return text;
}
