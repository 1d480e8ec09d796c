/** Transactions: whole or not at all, and the errors of SQLite told apart. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/sandbox/store/database.js';
import { StoreUnusable } from '../../../src/sandbox/store/unusable.js';
import { testFolder } from './program.js';

const READ = "SELECT value FROM meta WHERE name = 'x'";
const WRITE = "INSERT OR REPLACE INTO meta (name, value) VALUES ('x', ?)";

describe('a transaction', () => {
  it('leaves nothing behind when its work throws, and passes the error on as it is', () => {
    const db = openDatabase(':memory:');
    const defect = new TypeError('a defect');
    expect(() =>
      db.transaction(() => {
        db.run(WRITE, 'lost');
        throw defect;
      }),
    ).toThrow(defect);
    expect(db.query(READ).get()).toBeUndefined();
    db.transaction(() => db.run(WRITE, 'kept'));
    expect(db.query(READ).get()).toMatchObject({ value: 'kept' });
    db.close();
  });

  it('is seen by another connection when it returns, and not before', () => {
    const file = join(testFolder(), 'sandbox.db');
    const [writer, reader] = [openDatabase(file), openDatabase(file)];
    writer.transaction(() => {
      writer.run(WRITE, 'new');
      expect(reader.query(READ).get()).toBeUndefined();
    });
    expect(reader.query(READ).get()).toMatchObject({ value: 'new' });
    writer.close();
    reader.close();
  });

  it('is `full` where the file cannot grow, keeps what was there, and works again when there is room', () => {
    const file = join(testFolder(), 'sandbox.db');
    const db = openDatabase(file);
    db.transaction(() => db.run(WRITE, 'kept'));
    // What a full disk looks like to SQLite.
    const { page_count: pages } = db.query<{ page_count: number }>('PRAGMA page_count').get()!;
    db.query(`PRAGMA max_page_count = ${String(pages)}`).get();
    const write = (): unknown => db.transaction(() => db.run(WRITE, 'x'.repeat(100_000)));
    expect(write).toThrow(expect.objectContaining({ problem: 'full', exitCode: 16 }));
    expect(db.query(READ).get()).toMatchObject({ value: 'kept' });
    db.query('PRAGMA max_page_count = 100000').get();
    expect(write()).toBe(1);
    db.close();
  });

  it('is `unwritable` where the file may only be read', () => {
    const db = openDatabase(join(testFolder(), 'sandbox.db'));
    db.run('PRAGMA query_only = 1');
    expect(() => db.transaction(() => db.run(WRITE, 'x'))).toThrow(StoreUnusable);
    db.close();
  });
});

describe('durability', () => {
  it('syncs every commit of a file', () => {
    const db = openDatabase(join(testFolder(), 'sandbox.db'));
    expect(db.query('PRAGMA synchronous').get()).toMatchObject({ synchronous: 2 });
    expect(db.query('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    db.close();
  });
});
