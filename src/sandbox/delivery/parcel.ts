/** One attempt on its way: what is sent where, signed as it leaves (section 6). */
import { DELIVERY_HEADERS } from '../../contract/events.js';
import { signatureHeader } from '../../contract/signature.js';
import type { HttpRequest } from '../../runtime/transport.js';
import type { Owed } from '../store/deliveries.js';

export interface Parcel {
  /** As it was when it was taken out of the store, where it stays until the outcome is known. */
  readonly delivery: Owed;
  /** When the attempt counts as made: sandbox time in ms. */
  readonly atMs: number;
  /** The company's url at that moment. */
  readonly url: string;
  /** The newest first; never more than two. */
  readonly secrets: readonly string[];
}

/** The POST of a parcel. @param wallMs the time of the machine, so that real receivers accept it wherever the sandbox's clock is */
export function requestOf({ delivery, url, secrets }: Parcel, wallMs: number): HttpRequest {
  const body = Buffer.from(delivery.body);
  const timestamp = Math.floor(wallMs / 1000).toString();
  return {
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      [DELIVERY_HEADERS.signature.toLowerCase()]: signatureHeader(secrets, timestamp, body),
      [DELIVERY_HEADERS.timestamp.toLowerCase()]: timestamp,
      [DELIVERY_HEADERS.type.toLowerCase()]: delivery.type,
      [DELIVERY_HEADERS.id.toLowerCase()]: delivery.event_id,
    },
    body,
  };
}
