/** root ignores the rights of files, so this process gives up its rights first. */
import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/runtime/database.js';
import { testFolder } from '../support/test-folder.js';
import { madeBy, someNotes, TOY } from './toy-store.js';

const ROOT = 0;
const NOBODY = 65_534;

beforeAll(() => {
  if (process.geteuid?.() !== ROOT) return;
  process.setgroups?.([]);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
});

const unwritable = expect.objectContaining({ problem: 'unwritable', exitCode: 16 }) as Error;

it('that may only be read is refused, left alone, and good again once that is mended', () => {
  const file = join(testFolder(), 'test.db');
  openDatabase(file, TOY).close();
  chmodSync(file, 0o400);
  const before = readFileSync(file);
  expect(() => openDatabase(file, TOY)).toThrow(unwritable);
  expect(readdirSync(dirname(file))).toEqual(['test.db']);
  expect(readFileSync(file).equals(before)).toBe(true);
  chmodSync(file, 0o600);
  openDatabase(file, TOY).close();
});

it('below a folder that may not be read is made, and good', () => {
  const above = join(testFolder(), 'above');
  mkdirSync(join(above, 'a'), { recursive: true });
  chmodSync(above, 0o300);
  openDatabase(join(above, 'a/b/test.db'), TOY).close();
  openDatabase(join(above, 'a/b/test.db'), TOY).close();
  chmodSync(above, 0o700);
});

it('in a folder that may only be read is refused and left as it is', () => {
  const file = join(testFolder(), 'notes.db');
  madeBy(TOY, file, someNotes(3));
  const before = readFileSync(file);
  chmodSync(dirname(file), 0o500);
  expect(() => openDatabase(file, TOY)).toThrow(unwritable);
  chmodSync(dirname(file), 0o700);
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readdirSync(dirname(file))).toEqual(['notes.db']);
});
