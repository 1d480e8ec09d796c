/** The programs whose power is cut: the next version's, that has stores to migrate, and variants that do not wait for the disk. */
import type { Change } from '../../../scripts/mutate/places.js';
import { buildProgram, type Variant } from '../../support/variant.js';

const START = "import { start } from './src/main.js'; await start({ mapStack: (stack) => stack });";

/** A next version of a store, with a step that makes a table and writes what is there anew. */
function next(room: string, within: string, version: number, table: string): Change {
  const sql = `CREATE TABLE invented (one INTEGER PRIMARY KEY) STRICT; ALTER TABLE ${table} ADD COLUMN invented TEXT; UPDATE ${table} SET invented = 'x'`;
  const step = `{ from: ${String(version)}, run: "${sql}" }`;
  return {
    room,
    within,
    changes: [[`version: ${String(version)},`, `version: ${String(version + 1)}, migrations: [${step}],`]],
  };
}

/** @returns the path of a program whose stores are one version further */
export function nextProgram(): Promise<string> {
  return buildProgram('power-next', START, [
    next('bulk', 'BATCHES_KIND', 6, 'rows'),
    next('state', 'JOURNAL_KIND', 3, 'requests'),
    next('mirror', 'MIRRORS_KIND', 2, 'companies'),
  ]);
}

/** Leaves it to the kernel when a store is written. */
export const NOT_SYNCED: Variant = {
  name: 'power-not-synced',
  room: 'runtime',
  within: 'SYNCED',
  changes: [['synchronous = FULL', 'synchronous = OFF']],
};

/** Takes an answer in a file for written when the kernel has it. */
export const OUTPUT_NOT_SYNCED: Variant = {
  name: 'power-output-not-synced',
  room: 'runtime',
  within: 'durabilityBy',
  changes: [['return sync();', 'return sync === undefined ? sync : undefined;']],
};

/** @returns the path of a program that breaks one promise */
export function brokenProgram(variant: Variant): Promise<string> {
  return buildProgram(variant.name, START, [variant]);
}
