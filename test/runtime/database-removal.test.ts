import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isSound, removeDatabase } from '../../src/runtime/database-file.js';
import { meddle } from '../support/database-dump.js';
import { beside, madeNotes, TOY } from './toy-store.js';

const made = (): string => madeNotes(9);

function spoilEnd(file: string): void {
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xff, bytes.length - 4096));
}

const COMPANIONS = ['-wal', '-shm', '-journal'];
const OTHERS = ['.server', '.v2', '-walrus'];

it('goes with its companions, and nothing else does', () => {
  const file = made();
  for (const end of [...COMPANIONS, ...OTHERS]) writeFileSync(file + end, 'x');
  removeDatabase(file, TOY);
  expect(beside(file)).toEqual(OTHERS.map((end) => `notes.db${end}`).toSorted());
  removeDatabase(file, TOY);
  expect(beside(file)).toHaveLength(OTHERS.length);
});

it.each([
  ['short', (bytes: Buffer) => bytes.subarray(0, 50)],
  ['no database', () => Buffer.from('no database '.repeat(99))],
  ['ours, with nothing behind its header', (bytes: Buffer) => bytes.fill(0xff, 100)],
])('goes where it is %s', (_what, spoil) => {
  const file = made();
  writeFileSync(file, spoil(readFileSync(file)));
  removeDatabase(file, TOY);
  expect(beside(file)).toEqual([]);
});

it('stays where it has the mark of another program, damaged or not', () => {
  const file = made();
  meddle(file, 'PRAGMA application_id = 7');
  for (const end of COMPANIONS) writeFileSync(file + end, 'x');
  for (const spoil of [(bytes: Buffer) => bytes, (bytes: Buffer) => bytes.fill(0xff, 100)]) {
    const bytes = spoil(readFileSync(file));
    writeFileSync(file, bytes);
    expect(() => removeDatabase(file, TOY)).toThrow(
      expect.objectContaining({ problem: 'foreign', exitCode: 16 }),
    );
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect(beside(file)).toHaveLength(COMPANIONS.length + 1);
  }
});

it.each<[string, (file: string) => void, boolean]>([
  ['as it was made', () => undefined, true],
  ['without who made it', (file) => meddle(file, 'DROP TABLE made_by'), true],
  [
    'with a column of another name',
    (file) => meddle(file, 'ALTER TABLE bodies RENAME COLUMN body TO text'),
    false,
  ],
  ['with a table more', (file) => meddle(file, 'CREATE TABLE more (x)'), false],
  ['with an index less', (file) => meddle(file, 'DROP INDEX notes_by_state'), false],
  [
    'with an index over other columns',
    (file) => meddle(file, 'DROP INDEX notes_by_state; CREATE INDEX notes_by_state ON notes (id, state)'),
    false,
  ],
  ['with a page of nonsense', (file) => spoilEnd(file), false],
])('%s: whether it is sound', (_what, change, wanted) => {
  const file = made();
  change(file);
  expect(isSound(file, TOY)).toBe(wanted);
});
