/** The signature of a webhook delivery: HMAC-SHA256 over the timestamp, a dot and the raw body (section 6). Pure: bytes in, text out. */
import { createHmac } from 'node:crypto';

/** How each signature in `X-Firma` begins. */
export const SIGNATURE_PREFIX = 'v1=';

/**
 * One signature: `v1=` and 64 lower-case hexadecimal digits.
 * @param timestamp the text of `X-Timestamp` (Unix seconds), signed as it stands
 * @throws RangeError for an empty secret, which would sign with no key at all
 */
export function sign(secret: string, timestamp: string, body: Uint8Array): string {
  if (secret === '') throw new RangeError('a signing secret is never empty');
  return SIGNATURE_PREFIX + createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
}

/** The value of `X-Firma`: a signature for each secret, newest first, separated by one space (during a rotation, two). */
export function signatureHeader(secrets: readonly string[], timestamp: string, body: Uint8Array): string {
  return secrets.map((secret) => sign(secret, timestamp, body)).join(' ');
}
