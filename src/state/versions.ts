/** Which tables a program may use: the tables say which versions of the program can write and read them. Pure. */
import { svcLine } from '../runtime/shell.js';
import { Failure } from '../runtime/failure.js';
import { schemaNewer } from './failures.js';
import { SCHEMA_VERSION } from './schema.js';

/**
 * A step by which older tables come to the version that this program knows. It first makes room (columns, tables) that older
 * programs pass over; what they still use goes a release later, with `leastWriter` raised to the programs that do without it.
 */
export interface StateMigration {
  /** The version that it makes, one more than the one before. */
  readonly to: number;
  /** Statements of one transaction; `svc.` stands for the schema. */
  readonly sql: string;
  /** The oldest programs that may write and read from then on. */
  readonly leastWriter: number;
  readonly leastReader: number;
}

/** In their order; a new one brings `SCHEMA_VERSION`, the tables of `svc state init` and the grants along. */
export const MIGRATIONS: readonly StateMigration[] = [];

/** The tables of processes at work: while one has rows, nobody moves the tables. */
export const LEASES: readonly string[] = [
  'svc.workers WHERE ended_at IS NULL AND lease_until > clock_timestamp()',
  'svc.checkpoints WHERE holder IS NOT NULL AND lease_until > clock_timestamp()',
];

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
 * @param next a command as it is to be typed for the same place
 * @throws Failure `local_state` where it may not even read them (`store_newer`), or they have to be migrated first (`state_unusable`)
 */
export function useOf(
  tables: TableVersions,
  known = SCHEMA_VERSION,
  next: (command: string) => string = svcLine,
): 'write' | 'read' {
  if (known < tables.least_reader)
    throw new Failure(
      'local_state',
      `A newer svc made the shared state: it has version ${String(tables.version)}, but this svc knows ${String(known)}. ` +
        'Nothing was sent. Update svc, then run this again.',
      { code: 'store_newer' },
    );
  if (known > tables.version)
    throw new Failure(
      'local_state',
      `The shared state has version ${String(tables.version)}, but this svc needs ${String(known)}: run "svc state migrate". ` +
        'Nothing was sent.',
      { code: 'state_unusable', nextCommand: next('state migrate') },
    );
  return known < tables.least_writer ? 'read' : 'write';
}

/**
 * The steps that bring tables to the version of a program; none where they have it, or a later one.
 * @param moving the line that moves tables of a version away
 * @throws Failure `local_state` (`state_unusable`) for tables that no release has made: no step begins with them
 */
export function stepsTo(
  version: number,
  migrations: readonly StateMigration[],
  moving: (version: number) => string,
): readonly StateMigration[] {
  const known = knownVersion(migrations);
  const left = migrations.filter(({ to }) => to > version);
  if (version >= known || left[0]?.to === version + 1) return left;
  throw new Failure(
    'local_state',
    `An older, unreleased version of svc made the shared state: it has version ${String(version)}, but this svc needs ${String(known)}. ` +
      'Nothing was sent or changed. Move it away, as the owner of its tables. Then "svc state init" makes a new one. ' +
      'It may hold requests without an answer: look for their references in "svc events list --all".',
    { code: 'state_unusable', nextCommand: moving(version) },
  );
}

/** What a program with these steps works with. */
export function knownVersion(migrations: readonly StateMigration[]): number {
  return migrations.at(-1)?.to ?? SCHEMA_VERSION;
}

/** A statement that changes something, whatever else it does. */
const WRITES = /\b(INSERT INTO|UPDATE|DELETE FROM)\b/;

/** @throws Failure `local_state` (`store_newer`) for a statement that would write what a newer program has changed */
export function requireReading(text: string): void {
  // A word in quotes is none of the statement's own.
  if (WRITES.test(text.replaceAll(/'[^']*'/g, ''))) throw schemaNewer();
}
