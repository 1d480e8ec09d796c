const INITIAL_TEXTS = 1024;
const INITIAL_BYTES = 16 * 1024;
const UNIT_BYTES_MAX = 3;

export class TextTable {
  size = 0;
  #bytes = Buffer.allocUnsafe(INITIAL_BYTES);
  #textEnds = new Uint32Array(INITIAL_TEXTS);
  /** A slot holds 0 if it is free, or else the number of a text plus 1. */
  #slots = new Uint32Array(INITIAL_TEXTS * 2);

  find(text: string): number {
    return (this.#slots[this.#slotOf(this.size, this.#write(text))] ?? 0) - 1;
  }

  add(text: string): number {
    const end = this.#write(text);
    const slot = this.#slotOf(this.size, end);
    const stored = this.#slots[slot] ?? 0;
    if (stored > 0) return stored - 1;
    this.#textEnds[this.size] = end;
    this.size += 1;
    this.#slots[slot] = this.size;
    if (this.size === this.#textEnds.length) this.#grow();
    return this.size - 1;
  }

  #write(text: string): number {
    const start = this.#startOf(this.size);
    if (start + text.length * UNIT_BYTES_MAX > this.#bytes.length) {
      const longerBytes = Buffer.allocUnsafe(this.#bytes.length * 2 + text.length * UNIT_BYTES_MAX);
      longerBytes.set(this.#bytes);
      this.#bytes = longerBytes;
    }
    return start + this.#bytes.write(text, start);
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : (this.#textEnds[number - 1] ?? 0);
  }

  #slotOf(number: number, end: number): number {
    const start = this.#startOf(number);
    const mask = this.#slots.length - 1;
    for (let slot = hashOf(this.#bytes, start, end) & mask; ; slot = (slot + 1) & mask) {
      const other = (this.#slots[slot] ?? 0) - 1;
      if (other === -1) return slot;
      const otherEnd = this.#textEnds[other];
      if (this.#bytes.compare(this.#bytes, this.#startOf(other), otherEnd, start, end) === 0) return slot;
    }
  }

  #grow(): void {
    const oldEnds = this.#textEnds;
    this.#textEnds = new Uint32Array(oldEnds.length * 2);
    this.#textEnds.set(oldEnds);
    this.#slots = new Uint32Array(oldEnds.length * 4);
    for (const [number, end] of oldEnds.entries()) this.#slots[this.#slotOf(number, end)] = number + 1;
  }
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
