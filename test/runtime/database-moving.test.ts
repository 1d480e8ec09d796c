import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/runtime/database.js';
import { movingLine } from '../../src/runtime/database-unusable.js';
import { runInShell } from '../support/shell.js';
import { HOSTILE_WORDS } from '../support/typed.js';
import { testFolder } from '../support/test-folder.js';
import { beside, madeBy, readNotes, someNotes, TOY, writeNotes } from './toy-store.js';

it('takes what is only in the log along, under a name that nothing has', () => {
  const file = join(testFolder(), 'notes.db');
  const holder = openDatabase(file, TOY);
  writeNotes(holder, someNotes(20));
  for (const taken of ['notes.db.v2', 'notes.db.v2-2-wal']) writeFileSync(join(dirname(file), taken), taken);
  runInShell(movingLine(file, 2));
  expect(beside(file)).toEqual([
    ...['notes.db.v2', 'notes.db.v2-2-wal', 'notes.db.v2-3', 'notes.db.v2-3-shm', 'notes.db.v2-3-wal'],
  ]);
  const moved = openDatabase(`${file}.v2-3`, TOY);
  expect(readNotes(moved)).toEqual(someNotes(20));
  for (const db of [moved, holder]) db.close();
  expect(readFileSync(join(dirname(file), 'notes.db.v2'), 'utf8')).toBe('notes.db.v2');
});

it.each(HOSTILE_WORDS)('moves a file that is called %j, from where it is, and only that', (name) => {
  const folder = testFolder();
  madeBy(TOY, join(folder, name), someNotes(1));
  madeBy(TOY, join(folder, 'other'), someNotes(1));
  const line = movingLine(name, 1);
  runInShell(line, folder);
  expect(readdirSync(folder).toSorted()).toEqual([`${name}.v1`, 'other'].toSorted());
  madeBy(TOY, join(folder, name), someNotes(2));
  runInShell(line, folder);
  const counts = [name, `${name}.v1`].map((each) => {
    const db = openDatabase(join(folder, each), TOY);
    const { length } = readNotes(db);
    db.close();
    return length;
  });
  expect(counts).toEqual([2, 1]);
});

it('leaves the file where its log cannot be moved: without it, the log would be that of the next one', () => {
  const folder = testFolder();
  const file = join(folder, 'notes.db');
  const holder = new DatabaseSync(file);
  holder.exec('PRAGMA journal_mode = WAL; CREATE TABLE notes (a)');
  const line = movingLine(file, 1);
  const refusing = `mv() { case "$2" in *-wal) return 1;; *) command mv "$@";; esac; }; ${line}`;
  runInShell(refusing);
  expect(beside(file)).toEqual(['notes.db', 'notes.db-shm', 'notes.db-wal']);
  holder.close();
});
