/** Numbers texts in the order in which they came, in little memory: of each it keeps 16 bytes of its SHA-256, and nothing that names anybody. Pure. */
import { hash } from 'node:crypto';

const DIGEST_BYTES = 16;
const BEGIN = 1024;
/** More of the slots are never taken: looking for a free one stays short. */
const FULL = 0.6;

export class DigestTable {
  #digests = Buffer.alloc(BEGIN * DIGEST_BYTES);
  /** The numbers, from 1; 0 where a slot is free. */
  #slots = new Int32Array(BEGIN * 2);
  size = 0;

  /** Its number; -1 where it never came. */
  find(text: string): number {
    const digest = digestOf(text);
    return (this.#slots[this.#slotOf(digest)] ?? 0) - 1;
  }

  /** @returns its number, which is the size before where it is new */
  add(text: string): number {
    const digest = digestOf(text);
    const slot = this.#slotOf(digest);
    const known = this.#slots[slot] ?? 0;
    if (known > 0) return known - 1;
    if (this.size * DIGEST_BYTES === this.#digests.length)
      this.#digests = Buffer.concat([this.#digests, Buffer.alloc(this.#digests.length)]);
    this.#digests.set(digest, this.size * DIGEST_BYTES);
    this.size += 1;
    this.#slots[slot] = this.size;
    if (this.size > this.#slots.length * FULL) this.#grow();
    return this.size - 1;
  }

  /** Where it stands, or the free slot in which it would. */
  #slotOf(digest: Uint8Array): number {
    const mask = this.#slots.length - 1;
    for (let slot = firstOf(digest, 0) & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] ?? 0;
      if (number === 0 || this.#isAt(number - 1, digest)) return slot;
    }
  }

  #isAt(number: number, digest: Uint8Array): boolean {
    const start = number * DIGEST_BYTES;
    return this.#digests.compare(digest, 0, DIGEST_BYTES, start, start + DIGEST_BYTES) === 0;
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let number = 0; number < this.size; number += 1) {
      let slot = firstOf(this.#digests, number * DIGEST_BYTES) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number + 1;
    }
  }
}

function digestOf(text: string): Uint8Array {
  return hash('sha256', text, 'buffer').subarray(0, DIGEST_BYTES);
}

function firstOf(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + at, 4).getInt32(0);
}
