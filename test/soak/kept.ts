/** Folders for what a harness has found. The folder of temporary files goes with the tests; these stay. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

const PLACE = '/var/tmp';

/** @param name what is kept @returns a new folder that nobody removes */
export function keptFolder(name: string): string {
  return mkdtempSync(join(PLACE, `svc-kept-${name.replaceAll(/\W+/g, '-')}-`));
}
