import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the space for new objects at its present size, and collects old ones earlier than by default.
 * Otherwise, buffers that were already written would stay in memory.
 */
export function streamInLittleMemory(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=150');
}

/** Collecting often costs little time and saves memory if the work keeps few objects. */
export function collectOften(): void {
  setFlagsFromString('--heap-growing-percent=25');
}
