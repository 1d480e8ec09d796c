import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/runtime/database.js';
import { DatabaseUnusable } from '../../src/runtime/database-unusable.js';
import { testFolder } from '../support/test-folder.js';

const KIND = {
  name: 'test database',
  schema: 'CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;',
  version: 1,
  applicationId: 0x74657374,
};
const READ = "SELECT value FROM meta WHERE name = 'x'";
const WRITE = "INSERT OR REPLACE INTO meta (name, value) VALUES ('x', ?)";

describe('a transaction', () => {
  it('leaves nothing behind when its work throws, and passes the error on as it is', () => {
    const db = openDatabase(':memory:', KIND);
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

  it('waits for the disk, unless it is one that a power cut may take, and the next one does again', () => {
    const db = openDatabase(join(testFolder(), 'sandbox.db'), KIND);
    const level = (): unknown => db.query('PRAGMA synchronous').get();
    const [FULL, NORMAL] = [{ synchronous: 2 }, { synchronous: 1 }];
    expect(db.transaction(level)).toEqual(FULL);
    expect(db.unsyncedTransaction(level)).toEqual(NORMAL);
    expect(db.transaction(level)).toEqual(FULL);
    expect(() =>
      db.unsyncedTransaction(() => {
        throw new TypeError('a defect');
      }),
    ).toThrow(TypeError);
    expect(db.transaction(level)).toEqual(FULL);
    db.close();
  });

  it('is seen by another connection when it returns, and not before', () => {
    const file = join(testFolder(), 'sandbox.db');
    const [writer, reader] = [openDatabase(file, KIND), openDatabase(file, KIND)];
    writer.transaction(() => {
      writer.run(WRITE, 'new');
      expect(reader.query(READ).get()).toBeUndefined();
    });
    expect(reader.query(READ).get()).toMatchObject({ value: 'new' });
    writer.close();
    reader.close();
  });

  it('is not waited for by what only reads, which sees what stood before it', () => {
    const file = join(testFolder(), 'sandbox.db');
    const [writing, reading] = [openDatabase(file, KIND), openDatabase(file, KIND)];
    writing.transaction(() => writing.run(WRITE, 'before'));
    writing.transaction(() => {
      writing.run(WRITE, 'after');
      expect(reading.readTransaction(() => reading.query(READ).get())).toEqual({ value: 'before' });
    });
    expect(reading.readTransaction(() => reading.query(READ).get())).toEqual({ value: 'after' });
    writing.close();
    reading.close();
  });

  it('is `full` where the file cannot grow, keeps what was there, and works again when there is room', () => {
    const file = join(testFolder(), 'sandbox.db');
    const db = openDatabase(file, KIND);
    db.transaction(() => db.run(WRITE, 'kept'));
    // A limit on pages looks like a full disk to SQLite.
    const { page_count: pages } = db.query<{ page_count: number }>('PRAGMA page_count').get()!;
    db.query(`PRAGMA max_page_count = ${String(pages)}`).get();
    const write = (): unknown => db.transaction(() => db.run(WRITE, 'x'.repeat(100_000)));
    expect(write).toThrow(expect.objectContaining({ problem: 'full', exitCode: 16 }));
    expect(db.query(READ).get()).toMatchObject({ value: 'kept' });
    db.query('PRAGMA max_page_count = 100000').get();
    expect(write()).toBe(1);
    db.close();
  });

  it('says that the file cannot be used where nothing may be written', () => {
    const db = openDatabase(join(testFolder(), 'sandbox.db'), KIND);
    db.run('PRAGMA query_only = 1');
    expect(() => db.transaction(() => db.run(WRITE, 'x'))).toThrow(DatabaseUnusable);
    db.close();
  });
});

describe('durability', () => {
  it('syncs every commit of a file', () => {
    const db = openDatabase(join(testFolder(), 'sandbox.db'), KIND);
    expect(db.query('PRAGMA synchronous').get()).toMatchObject({ synchronous: 2 });
    expect(db.query('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    db.close();
  });

  it.each([':memory:', 'a file', 'a file that was there'])('asks macOS to empty the drive: %s', (where) => {
    const file = where === ':memory:' ? where : join(testFolder(), 'sandbox.db');
    if (where === 'a file that was there') openDatabase(file, KIND).close();
    const db = openDatabase(file, KIND);
    for (const name of ['fullfsync', 'checkpoint_fullfsync'])
      expect(db.query(`PRAGMA ${name}`).get()).toEqual({ [name]: 1 });
    db.close();
  });
});
