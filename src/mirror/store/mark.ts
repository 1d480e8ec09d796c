/** A number for a text, by which rows are found: an index of small numbers is a third of one of texts. Pure; golden vectors pin it. */

/**
 * 53 bits, well mixed. Two texts may have the same number, so that whoever finds a row compares its text too; nothing rests on it but
 * speed, and a hash of cryptography would take a tenth of the time in which the feed is read.
 */
export function shortMark(...parts: readonly (string | number)[]): number {
  const text = parts.join('\0');
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (low & 0x1fffff) * 0x1_0000_0000 + (high >>> 0);
}
