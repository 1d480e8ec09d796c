/** The time of a delivery: the text of `X-Timestamp`, and how far it may be from the receiver's clock (section 6). Pure. */

/** Whole Unix seconds, written in the one way in which they are signed. */
const UNIX_SECONDS = /^(?:0|[1-9][0-9]{0,11})$/;

/** Unix seconds, or null for any other text: milliseconds, signs, leading zeros, spaces, other digits. */
export function readUnixSeconds(text: string): number | null {
  return UNIX_SECONDS.test(text) ? Number(text) : null;
}

/** How many seconds the timestamp is ahead of the clock; negative where it is behind. The clock counts whole seconds. */
export function secondsAhead(timestamp: number, nowMs: number): number {
  return timestamp - Math.floor(nowMs / 1000);
}
