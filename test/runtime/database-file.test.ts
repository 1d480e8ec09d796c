/** A database's file before SQLite opens it. The rights of a file mean nothing to root. */
import { chmodSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/runtime/database.js';
import { testFolder } from '../sandbox/store/program.js';

const KIND = {
  name: 'test database',
  schema: 'CREATE TABLE t (a TEXT) STRICT;',
  version: 1,
  applicationId: 7,
};

it.skipIf(process.geteuid?.() === 0)(
  'a file that may only be read is refused, left alone, and good again once that is mended',
  () => {
    const file = join(testFolder(), 'test.db');
    openDatabase(file, KIND).close();
    chmodSync(file, 0o400);
    expect(() => openDatabase(file, KIND)).toThrow(
      expect.objectContaining({ problem: 'unwritable' }) as Error,
    );
    expect(readdirSync(dirname(file))).toEqual(['test.db']);
    chmodSync(file, 0o600);
    openDatabase(file, KIND).close();
  },
);
