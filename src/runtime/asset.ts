import { readFileSync } from 'node:fs';

/** `bin/program.js` defines this in the built program. When the sources run, it is undefined. */
declare const __svc: { asset(name: string): Uint8Array } | undefined;

export function readAsset(name: string): Uint8Array {
  if (typeof __svc !== 'undefined') return __svc.asset(name);
  return readFileSync(new URL(`../../dist/${name}`, import.meta.url));
}
