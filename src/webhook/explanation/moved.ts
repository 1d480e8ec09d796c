/** Looks for the timestamp that a signature really belongs to, outwards from where it may have been. Pure. */

/** How far from each centre, in seconds. */
const REACH_SECONDS = 3600;
/** What may be spent on it: bytes that are hashed, and hashes. */
const BYTES_MAX = 128 * 1024 * 1024;
const HASHES_MAX = 30_000;

/**
 * The first of the times near the centres (Unix seconds) that `isSigned` confirms, or null.
 * @param bytesPerTry what one confirmation hashes
 */
export function findTimestamp(
  centres: readonly number[],
  bytesPerTry: number,
  isSigned: (stamp: string) => boolean,
): number | null {
  const triesMax = Math.min(HASHES_MAX, Math.floor(BYTES_MAX / Math.max(1, bytesPerTry)));
  let tries = 0;
  for (let distance = 0; distance <= REACH_SECONDS; distance += 1) {
    for (const centre of centres) {
      for (const time of distance === 0 ? [centre] : [centre - distance, centre + distance]) {
        if (tries >= triesMax) return null;
        tries += 1;
        if (time >= 0 && isSigned(String(time))) return time;
      }
    }
  }
  return null;
}
