/** Files that were built beside the program: out of the package or the one file where it runs, out of `dist/` where its sources do. */
import { readFileSync } from 'node:fs';

/** What the wrapper of every chunk is given (`bin/program.js`); sources have none. */
declare const __svc: { asset(name: string): Uint8Array } | undefined;

/** @throws as the file system says, where it is not there */
export function readAsset(name: string): Uint8Array {
  if (typeof __svc !== 'undefined') return __svc.asset(name);
  return readFileSync(new URL(`../../dist/${name}`, import.meta.url));
}
