import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openWorkFile } from '../../src/runtime/work-file.js';
import { testFolder } from '../support/test-folder.js';

const KIND = {
  name: 'work file of a test',
  schema: 'CREATE TABLE notes (row INTEGER PRIMARY KEY, text TEXT);',
};

it('holds more than its cache, sorts it, and leaves nothing', () => {
  const at = testFolder();
  const file = openWorkFile(join(at, 'work.db'), KIND);
  expect(readdirSync(at)).toEqual([]);
  const long = 'x'.repeat(2000);
  for (let row = 1; row <= 10_000; row += 1)
    file.run('INSERT INTO notes VALUES (?, ?)', row, `${row % 97}${long}`);
  const [...rows] = file.query<[number]>('SELECT row FROM notes ORDER BY text, row DESC').iterate();
  expect(rows).toHaveLength(10_000);
  expect(rows[0]).toEqual([9991]);
  expect(file.query<[number]>('SELECT count(*) FROM notes WHERE row > ?').get(9000)).toEqual([1000]);
  expect(readdirSync(at)).toEqual([]);
  file.close();
  expect(readdirSync(at)).toEqual([]);
});

it('may be read while it is written', () => {
  const file = openWorkFile(join(testFolder(), 'work.db'), KIND);
  for (const row of [1, 2, 3]) file.run('INSERT INTO notes VALUES (?, ?)', row, 'a');
  const seen: number[] = [];
  for (const [row] of file.query<[number]>("SELECT row FROM notes WHERE text = 'a'").iterate()) {
    seen.push(row);
    file.run('UPDATE notes SET text = ? WHERE row = ?', 'b', row);
  }
  expect(seen).toEqual([1, 2, 3]);
  file.close();
});

it.each([
  ['a file', (path: string) => writeFileSync(path, 'mine')],
  ['a link', (path: string) => symlinkSync(join(path, '../other'), path)],
])('is not made where %s stands, which stays', (_what, put) => {
  const at = testFolder();
  const path = join(at, 'work.db');
  writeFileSync(join(at, 'other'), 'mine');
  put(path);
  expect(() => openWorkFile(path, KIND)).toThrow(
    `The work file of a test ${path} cannot be read and written`,
  );
  expect(readFileSync(path, 'utf8')).toBe('mine');
});

it('passes a defect in a statement on as it is', () => {
  const file = openWorkFile(join(testFolder(), 'work.db'), KIND);
  expect(() => file.query('SELECT missing FROM notes')).toThrow('no such column: missing');
  expect(() => file.run('INSERT INTO notes VALUES (?)', 1)).toThrow('2 columns');
  file.close();
});
