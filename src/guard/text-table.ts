/** Numbers texts in the order in which they are added. Holds hundreds of thousands in little memory. Pure. */

const INITIAL_TEXTS = 1024;
const INITIAL_BYTES = 16 * 1024;
/** At most this share of the slots is used, so that the search for a free one stays short. */
const LOAD_MAX = 0.6;
const UTF8_MAX = 3;

export class TextTable {
  size = 0;
  /** The UTF-8 of all texts, one after the other. `#ends` says where each text ends. */
  #bytes = Buffer.allocUnsafe(INITIAL_BYTES);
  #ends = new Uint32Array(INITIAL_TEXTS);
  #sums = new Int32Array(INITIAL_TEXTS);
  /** The number of a text plus 1; 0: the slot is free. */
  #slots = new Int32Array(INITIAL_TEXTS * 2);

  /** Returns the number of the text, from 0; -1 if it was never added. */
  find(text: string): number {
    return (this.#slots[this.#slotOf(text, sumOf(text))] ?? 0) - 1;
  }

  /** Returns the number of the text. A new text gets the `size` before the call. */
  add(text: string): number {
    const sum = sumOf(text);
    const slot = this.#slotOf(text, sum);
    const stored = this.#slots[slot] ?? 0;
    if (stored > 0) return stored - 1;
    const number = this.size;
    if (number === this.#ends.length) {
      this.#ends = doubled(this.#ends, new Uint32Array(number * 2));
      this.#sums = doubled(this.#sums, new Int32Array(number * 2));
    }
    const start = this.#startOf(number);
    if (start + text.length * UTF8_MAX > this.#bytes.length) {
      const longerBytes = Buffer.allocUnsafe(this.#bytes.length * 2 + text.length * UTF8_MAX);
      longerBytes.set(this.#bytes);
      this.#bytes = longerBytes;
    }
    this.#ends[number] = start + this.#bytes.write(text, start);
    this.#sums[number] = sum;
    this.size += 1;
    this.#slots[slot] = this.size;
    if (this.size > this.#slots.length * LOAD_MAX) this.#grow();
    return number;
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : (this.#ends[number - 1] ?? 0);
  }

  #textOf(number: number): string {
    return this.#bytes.toString('utf8', this.#startOf(number), this.#ends[number]);
  }

  /** Returns the slot of the text, or the free slot for it. */
  #slotOf(text: string, sum: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = sum & mask; ; slot = (slot + 1) & mask) {
      const number = (this.#slots[slot] ?? 0) - 1;
      if (number === -1 || (this.#sums[number] === sum && this.#textOf(number) === text)) return slot;
    }
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let number = 0; number < this.size; number += 1) {
      let slot = (this.#sums[number] ?? 0) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number + 1;
    }
  }
}

function doubled<T extends Uint32Array | Int32Array>(short: T, long: T): T {
  long.set(short);
  return long;
}

/** Hashes the code units with FNV-1a, and mixes the sum once more, so that texts that differ only at the end spread too. */
function sumOf(text: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  sum = Math.imul(sum ^ (sum >>> 15), 0x2c1b3c6d);
  return sum ^ (sum >>> 13);
}
