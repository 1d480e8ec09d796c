/** The port to the garbage collector: keeps the memory of a long stream small. */
import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the space for new objects as small as it is now, and collects old ones once there are two and a half times as many (four times is the default).
 * Otherwise the buffers of pages that are long written stay in memory.
 */
export function streamInLittleMemory(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=150');
}

/** Collects old objects before much of them has gathered, for work that makes little that stays: less memory for a little time. */
export function collectOften(): void {
  setFlagsFromString('--heap-growing-percent=25');
}
