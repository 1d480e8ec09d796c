import { createHash } from 'node:crypto';
import type { Random } from '../../runtime/clock.js';

export interface FixedRandom extends Random {
  /** What follows is the same after every restart with this text. */
  restart(from: string): void;
}

/** Everybody can guess these ids, so they are only for a sandbox in memory. */
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
