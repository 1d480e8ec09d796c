import { createHash } from 'node:crypto';
import type { Random } from '../../../src/runtime/clock.js';

export function seededRandom(seed = 'sandbox'): Random {
  let drawn = 0;
  const hex = (byteCount: number): string => {
    let text = '';
    while (text.length < byteCount * 2) {
      text += createHash('sha256')
        .update(`${seed}/${String(drawn++)}`)
        .digest('hex');
    }
    return text.slice(0, byteCount * 2);
  };
  return {
    hex,
    fraction: () => parseInt(hex(6), 16) / 2 ** 48,
    uuid: () => {
      const digits = hex(16);
      return [
        digits.slice(0, 8),
        digits.slice(8, 12),
        `4${digits.slice(13, 16)}`,
        `8${digits.slice(17, 20)}`,
        digits.slice(20),
      ].join('-');
    },
  };
}
