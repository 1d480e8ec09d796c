import { setFlagsFromString } from 'node:v8';

/** Makes V8 collect old objects earlier. By default, buffers that were already written would stay in memory. */
export function streamInLittleMemory(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=150');
}

export function collectOften(): void {
  setFlagsFromString('--heap-growing-percent=25');
}
