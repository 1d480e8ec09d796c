/** An array of texts as PostgreSQL takes it in its binary form: nothing in it has to be escaped, nor read for what is escaped. Pure. */

const TEXT_TYPE = 25;
const HEAD = 20;

export function textArray(values: readonly (string | null)[]): Buffer {
  const lengths = values.map((value) => (value === null ? -1 : Buffer.byteLength(value)));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 4 + Math.max(0, length), HEAD));
  // One dimension, nulls among them, texts; so many, the first of which is number 1.
  const head = [1, 1, TEXT_TYPE, values.length, 1];
  head.forEach((number, at) => bytes.writeInt32BE(number, 4 * at));
  let at = HEAD;
  for (const [index, value] of values.entries()) {
    const length = lengths[index] ?? -1;
    at = bytes.writeInt32BE(length, at);
    if (value !== null) at += bytes.write(value, at);
  }
  return bytes;
}
