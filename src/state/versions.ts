/** Which tables a program may use: the tables say which versions of the program can write and read them. Pure. */
import { Failure } from '../runtime/failure.js';
import { schemaNewer } from './failures.js';
import { SCHEMA_VERSION } from './schema.js';

/** What the tables say of themselves. */
export interface TableVersions {
  readonly version: number;
  /** The oldest program that may write them, */
  readonly least_writer: number;
  /** and the oldest that may read them. */
  readonly least_reader: number;
}

/**
 * What a program may do with them.
 * @param known the version that the program knows
 * @param moving the line that moves tables of that version away
 * @throws Failure `local_state` where it may not even read them (`store_newer`), or they are older (`state_unusable`)
 */
export function useOf(
  tables: TableVersions,
  moving: (version: number) => string,
  known = SCHEMA_VERSION,
): 'write' | 'read' {
  const version = String(tables.version);
  if (known < tables.least_reader)
    throw new Failure(
      'local_state',
      `A newer svc made the shared state: it has version ${version}, but this svc knows ${String(known)}. ` +
        'Nothing was sent. Update svc, then run this again.',
      { code: 'store_newer' },
    );
  if (known > tables.version)
    throw new Failure(
      'local_state',
      `An older, unreleased version of svc made the shared state: it has version ${version}, but this svc needs ${String(known)}. ` +
        'Nothing was sent or changed. Once no run uses it, move it away, as the owner of its tables. Then "svc state init" makes a new one. ' +
        'It may hold requests without an answer: look for their references in "svc events list --all".',
      { code: 'state_unusable', nextCommand: moving(tables.version) },
    );
  return known < tables.least_writer ? 'read' : 'write';
}

/** A statement that changes something, whatever else it does. */
const WRITES = /\b(INSERT INTO|UPDATE|DELETE FROM)\b/;

/** @throws Failure `local_state` (`store_newer`) for a statement that would write what a newer program has changed */
export function requireReading(text: string): void {
  // A word in quotes is none of the statement's own.
  if (WRITES.test(text.replaceAll(/'[^']*'/g, ''))) throw schemaNewer();
}
