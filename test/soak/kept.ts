/** Temporary folders are removed when the tests end, but these folders with findings stay. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

const PLACE = '/var/tmp';

export function keptFolder(name: string): string {
  return mkdtempSync(join(PLACE, `svc-kept-${name.replaceAll(/\W+/g, '-')}-`));
}
