import { readFileSync } from 'node:fs';

declare const __svc: { asset(name: string): Uint8Array } | undefined;

export function readAsset(name: string): Uint8Array {
  if (typeof __svc !== 'undefined') return __svc.asset(name);
  return readFileSync(new URL(`../../dist/${name}`, import.meta.url));
}
