/** A set of many texts in eight bytes each: 48 bits of a hash. Two texts may share them, so what is found is only likely to be there. */
import { hash } from 'node:crypto';

const MARK_BYTES = 6;

export class Marks {
  readonly #sorted: Float64Array;

  private constructor(sorted: Float64Array) {
    this.#sorted = sorted;
  }

  /** @param count how many texts there are at the most */
  static async of(texts: AsyncIterable<string>, count: number): Promise<Marks> {
    const marks = new Float64Array(count);
    let at = 0;
    for await (const text of texts) marks[at++] = markOf(text);
    return new Marks(marks.subarray(0, at).sort());
  }

  /** A place from 0 on, the same for equal texts; -1 where it is certainly not there. */
  placeOf(text: string): number {
    const mark = markOf(text);
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle] ?? Infinity) < mark) low = middle + 1;
      else high = middle;
    }
    return this.#sorted[low] === mark ? low : -1;
  }
}

function markOf(text: string): number {
  return hash('sha256', text, 'buffer').readUIntBE(0, MARK_BYTES);
}
