/** An array of texts as PostgreSQL takes it in its binary form: nothing in it has to be escaped, nor read for what is escaped. Pure. */

const TEXT_TYPE = 25;
const HEAD = 20;

/** The most bytes of a unit of UTF-16 in UTF-8. */
const WIDEST = 3;

/** Writes into memory that it keeps: what every batch needs anew would be collected, and given out by the system a page at a time. */
export class TextArrays {
  #bytes = Buffer.allocUnsafe(0);
  #end = 0;

  /** Nothing that was written before is read any more. */
  clear(): void {
    this.#end = 0;
  }

  /** Good until `clear`. */
  array(values: readonly (string | null)[]): Buffer {
    // Measured once, roughly: to ask how long each of them is would take as long as to write it.
    const room = values.reduce((sum, value) => sum + 4 + WIDEST * (value?.length ?? 0), HEAD);
    if (this.#bytes.length - this.#end < room) {
      this.#bytes = Buffer.allocUnsafe(Math.max(room, 2 * this.#bytes.length));
      this.#end = 0;
    }
    const [bytes, start] = [this.#bytes, this.#end];
    // One dimension, nulls among them, texts; so many, the first of which is number 1.
    const head = [1, 1, TEXT_TYPE, values.length, 1];
    head.forEach((number, at) => bytes.writeInt32BE(number, start + 4 * at));
    let at = start + HEAD;
    for (const value of values) {
      const length = value === null ? -1 : bytes.write(value, at + 4);
      bytes.writeInt32BE(length, at);
      at += 4 + Math.max(0, length);
    }
    this.#end = at;
    return bytes.subarray(start, at);
  }
}
