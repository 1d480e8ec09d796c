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
    uuid: () => hex(16).replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-'),
  };
}
