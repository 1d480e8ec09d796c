import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/runtime/database.js';
import { testFolder } from '../support/test-folder.js';
import { TOY } from './toy-store.js';

describe('a link that another user may have put there', () => {
  const linked = expect.objectContaining({ problem: 'linked', exitCode: 16 }) as Error;

  it('is not followed to a database of the user', () => {
    const folder = testFolder();
    const own = join(folder, 'own.db');
    openDatabase(own, TOY).close();
    fs.chmodSync(own, 0o640);
    const before = fs.readFileSync(own);
    fs.symlinkSync(own, join(folder, 'planted.db'));
    expect(() => openDatabase(join(folder, 'planted.db'), TOY)).toThrow(linked);
    expect(fs.readFileSync(own).equals(before)).toBe(true);
    expect(fs.lstatSync(own).mode & 0o777).toBe(0o640);
  });

  it('is not followed to a place where nothing is yet', () => {
    const folder = testFolder();
    fs.symlinkSync(join(folder, 'authorized_keys'), join(folder, 'planted.db'));
    expect(() => openDatabase(join(folder, 'planted.db'), TOY)).toThrow(linked);
    expect(fs.readdirSync(folder)).toEqual(['planted.db']);
  });

  it.each(['-wal', '-shm', '-journal'])('is not followed where it is the %s of the database', (companion) => {
    const folder = testFolder();
    const target = join(folder, 'target');
    fs.writeFileSync(target, 'of the user');
    fs.symlinkSync(target, join(folder, `test.db${companion}`));
    expect(() => openDatabase(join(folder, 'test.db'), TOY)).toThrow(linked);
    expect(fs.existsSync(join(folder, 'test.db'))).toBe(false);
    expect(fs.readFileSync(target, 'utf8')).toBe('of the user');
  });
});

it('takes no folder for a file: its rights stay', () => {
  const folder = testFolder();
  const named = join(folder, 'named');
  fs.mkdirSync(named);
  fs.chmodSync(named, 0o755);
  const unwritable = expect.objectContaining({ problem: 'unwritable', exitCode: 16 }) as Error;
  expect(() => openDatabase(named, TOY)).toThrow(unwritable);
  expect(fs.lstatSync(named).mode & 0o777).toBe(0o755);
});
