import { createHash } from 'node:crypto';
import type { Random } from '../../runtime/clock.js';

export interface FixedRandom extends Random {
  /** A restart from the same text gives the same values again. */
  restart(from: string): void;
}

/** Use it only for a sandbox in memory, because everybody can guess the values. */
export function fixedRandom(): FixedRandom {
  let [source, count] = ['', 0];
  const hex = (byteCount: number): string => {
    const text = `${source} ${String((count += 1))}`;
    return createHash('sha512')
      .update(text)
      .digest('hex')
      .slice(0, 2 * byteCount);
  };
  return {
    hex,
    uuid: () => hex(16).replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-'),
    fraction: () => 0.5,
    restart: (from) => void ([source, count] = [from, 0]),
  };
}
