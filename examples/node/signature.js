/** Checks the signature of a delivery over the bytes as they arrived, before anything parses them. */
import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 300;

/**
 * @param {{ headers: Record<string, string | undefined>, body: Buffer }} delivery names of headers in lower case
 * @param {readonly string[]} secrets one, or two during the day after another URL was registered
 * @param {number} [nowMs]
 */
export function isAuthentic({ headers, body }, secrets, nowMs = Date.now()) {
  const timestamp = headers['x-timestamp'] ?? '';
  const claimed = (headers['x-firma'] ?? '').split(' ');
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  return secrets.some((secret) => {
    const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
    const expected = Buffer.from(`v1=${digest}`);
    return claimed
      .map((text) => Buffer.from(text))
      .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
  });
}
