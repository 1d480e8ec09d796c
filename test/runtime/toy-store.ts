import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openDatabase, type Database } from '../../src/runtime/database.js';
import type { DatabaseKind } from '../../src/runtime/database-file.js';
import { testFolder } from '../support/test-folder.js';

export interface Note {
  readonly amount: string;
  readonly body: string;
}

export const TOY: DatabaseKind = {
  ...{ name: 'store of notes', applicationId: 0x746f7973, version: 3 },
  schema: `CREATE TABLE notes (id INTEGER PRIMARY KEY, amount TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'open') STRICT;
CREATE INDEX notes_by_state ON notes (state, id);
CREATE TABLE bodies (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;`,
};

export function writeNotes(db: Database, notes: readonly Note[]): void {
  db.transaction(() => {
    for (const { amount, body } of notes) {
      db.run('INSERT INTO notes (amount) VALUES (?)', amount);
      db.run('INSERT INTO bodies (body) VALUES (?)', body);
    }
  });
}

export function madeBy(kind: DatabaseKind, file: string, notes: readonly Note[]): void {
  const db = openDatabase(file, kind);
  writeNotes(db, notes);
  db.close();
}

export function madeNotes(count: number, bodyLength?: number): string {
  const file = join(testFolder(), 'notes.db');
  madeBy(TOY, file, someNotes(count, bodyLength));
  return file;
}

export const beside = (file: string): string[] => readdirSync(dirname(file)).toSorted();

export function readNotes(db: Database): Note[] {
  const query = db.query<Note>('SELECT amount, body FROM notes JOIN bodies USING (id) ORDER BY id');
  return db.transaction(() => query.all().map((note) => ({ ...note })));
}

export function someNotes(count: number, bodyLength = 40): Note[] {
  return Array.from({ length: count }, (_, at) => ({
    amount: `${String(at)}.50`,
    body: `note ${String(at)} `.padEnd(bodyLength, '.'),
  }));
}
