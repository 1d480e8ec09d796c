/** A store of notes as three versions of a program know it, from one table to hashes that were computed row by row. */
import { createHash } from 'node:crypto';
import { openDatabase, type Database } from '../../src/runtime/database.js';
import type { DatabaseKind, Migration, MigrationDatabase } from '../../src/runtime/database-kind.js';

/** What a note is to its user, in every version. */
export interface Note {
  readonly amount: string;
  readonly body: string;
}

const COMMON = { name: 'store of notes', applicationId: 0x746f7973 };

const NOTES_1 =
  'CREATE TABLE notes (id INTEGER PRIMARY KEY, amount TEXT NOT NULL, body TEXT NOT NULL) STRICT;';
const NOTES_2 = `CREATE TABLE notes (
  id INTEGER PRIMARY KEY, amount TEXT NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'open'
) STRICT;
CREATE INDEX notes_by_state ON notes (state, id);`;
const NOTES_3 = `CREATE TABLE notes (
  id INTEGER PRIMARY KEY, minor INTEGER NOT NULL, state TEXT NOT NULL, hash BLOB NOT NULL
) STRICT;
CREATE INDEX notes_by_state ON notes (state, id);
CREATE TABLE bodies (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;`;

/** As SQL alone. */
const TO_2 = `ALTER TABLE notes ADD COLUMN state TEXT NOT NULL DEFAULT 'open';
CREATE INDEX notes_by_state ON notes (state, id);`;

const ROWS_AT_ONCE = 500;

/** As work over the database: another shape of the table, and a hash of each row, by ranges. */
export function toVersion3(db: MigrationDatabase, onRange: (done: number) => void = () => undefined): void {
  db.exec('ALTER TABLE notes RENAME TO notes_2; DROP INDEX notes_by_state;');
  db.exec(NOTES_3);
  interface Row2 extends Note {
    readonly id: number;
    readonly state: string;
  }
  const range = db.query<Row2>('SELECT * FROM notes_2 WHERE id > ? ORDER BY id LIMIT ?');
  for (let after = Number.MIN_SAFE_INTEGER, done = 0; ;) {
    const rows = range.all(after, ROWS_AT_ONCE);
    for (const { id, amount, body, state } of rows) {
      db.run('INSERT INTO notes VALUES (?, ?, ?, ?)', id, minorOf(amount), state, hashOf({ amount, body }));
      db.insert('INSERT INTO bodies VALUES (?, ?)', id, body);
    }
    done += rows.length;
    onRange(done);
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  db.exec('DROP TABLE notes_2;');
}

export const MIGRATIONS: readonly Migration[] = [
  { from: 1, run: TO_2 },
  { from: 2, run: (db) => toVersion3(db) },
];

export const TOY_1: DatabaseKind = { ...COMMON, schema: NOTES_1, version: 1 };
export const TOY_2: DatabaseKind = {
  ...COMMON,
  schema: NOTES_2,
  version: 2,
  migrations: MIGRATIONS.slice(0, 1),
};
export const TOY_3: DatabaseKind = { ...COMMON, schema: NOTES_3, version: 3, migrations: MIGRATIONS };

/** The current kind with another second step. */
export function withStep(run: Migration['run']): DatabaseKind {
  return { ...TOY_3, migrations: [MIGRATIONS[0]!, { from: 2, run }] };
}

/** Writes notes as the program of that version does. */
export function writeNotes(db: Database, { version }: DatabaseKind, notes: readonly Note[]): void {
  db.transaction(() => {
    for (const { amount, body } of notes)
      if (version < 3) db.run('INSERT INTO notes (amount, body) VALUES (?, ?)', amount, body);
      else {
        const hash = hashOf({ amount, body });
        db.run("INSERT INTO notes (minor, state, hash) VALUES (?, 'open', ?)", minorOf(amount), hash);
        db.run('INSERT INTO bodies (body) VALUES (?)', body);
      }
  });
}

/** A file as the program of that version leaves it. */
export function madeBy(kind: DatabaseKind, file: string, notes: readonly Note[]): void {
  const db = openDatabase(file, kind);
  writeNotes(db, kind, notes);
  db.close();
}

/** The notes of a file in the current version, each checked against its hash. */
export function readNotes(db: Database): Note[] {
  const sql = 'SELECT minor, hash, body FROM notes JOIN bodies USING (id) ORDER BY id';
  return db.transaction(() =>
    db
      .query<{ minor: number; hash: Uint8Array; body: string }>(sql)
      .all()
      .map(({ minor, hash, body }) => {
        const note = { amount: (minor / 100).toFixed(2), body };
        if (!hashOf(note).equals(hash)) throw new Error('a note is not what was written');
        return note;
      }),
  );
}

export function someNotes(count: number, bodyLength = 40): Note[] {
  return Array.from({ length: count }, (_, at) => ({
    amount: `${String(at)}.50`,
    body: `note ${String(at)} `.padEnd(bodyLength, '.'),
  }));
}

function minorOf(amount: string): number {
  return Number(amount.replace('.', ''));
}

function hashOf({ amount, body }: Note): Buffer {
  return createHash('sha256').update(`${amount}\0${body}`).digest();
}
