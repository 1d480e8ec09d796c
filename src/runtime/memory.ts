import { setFlagsFromString } from 'node:v8';

export function streamInLittleMemory(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=150');
}

export function collectOften(): void {
  setFlagsFromString('--heap-growing-percent=25');
}
