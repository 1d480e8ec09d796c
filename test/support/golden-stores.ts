/** Stores that earlier versions of the program wrote, each named by what it is and the version of its tables. */
import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'stores');

/**
 * - `batches-3`: four batches over one payroll; rows in every state, a decision, a retried row
 * - `feed-1`: the events of nine payouts of the sandbox inside, read and indexed
 * - `requests-1`: two creates whose outcome is not known
 * - `sandbox-1`: the service on which the other two were made
 * - `sandbox-2`: seven operations of two companies, with a url, a delivery, a fault and a key of an operator
 */
export type GoldenStore = 'batches-3' | 'feed-1' | 'requests-1' | 'sandbox-1' | 'sandbox-2';

/** Where all were made, in sandbox time and on the clock of the machine. */
export const GOLDEN_END_MS = Date.parse('2026-09-24T16:00:08Z');

/** Puts a copy at that path, as its program would have left it. */
export function putGolden(name: GoldenStore, path: string): string {
  copyFileSync(join(FOLDER, `${name}.db`), path);
  chmodSync(path, 0o600);
  return path;
}
