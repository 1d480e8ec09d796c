/** Migrations: any old file becomes what a new one would be, in one transaction; what fails leaves the old file whole. */
import fc from 'fast-check';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/runtime/database.js';
import type { DatabaseKind } from '../../src/runtime/database-kind.js';
import { VERSION } from '../../src/runtime/version.js';
import { dump, integrity, meddle } from '../support/database-dump.js';
import { testFolder } from '../sandbox/store/program.js';
import {
  madeBy,
  MIGRATIONS,
  readNotes,
  someNotes,
  TOY_1,
  TOY_2,
  TOY_3,
  toVersion3,
  withStep,
  writeNotes,
} from './toy-store.js';

const COPY = '.before-v3';

const inFolder = (): string => join(testFolder(), 'notes.db');
const beside = (file: string): string[] => readdirSync(dirname(file)).toSorted();

function oldFile(kind = TOY_1, notes = someNotes(20)): string {
  const file = inFolder();
  madeBy(kind, file, notes);
  return file;
}

describe('a file of an older version', () => {
  const note = fc.record({
    amount: fc.nat(9_999_999).map((minor) => (minor / 100).toFixed(2)),
    body: fc
      .string({ unit: 'binary', maxLength: 30 })
      .filter((text) => !text.includes('\0') && text.isWellFormed()),
  });

  it.each([TOY_1, TOY_2])(
    'of version $version has all that a new one would have, whatever is in it',
    (kind) => {
      fc.assert(
        fc.property(fc.array(note, { maxLength: 12 }), fc.array(note, { maxLength: 3 }), (notes, later) => {
          const [old, young] = [inFolder(), inFolder()];
          madeBy(kind, old, notes);
          for (const file of [old, young]) {
            const db = openDatabase(file, TOY_3);
            if (file === young) writeNotes(db, TOY_3, notes);
            writeNotes(db, TOY_3, later);
            expect(readNotes(db)).toEqual([...notes, ...later]);
            db.close();
          }
          expect(dump(old)).toEqual(dump(young));
          expect(integrity(old)).toBe('ok');
          expect(beside(old)).toEqual(['notes.db']);
        }),
        { numRuns: 25 },
      );
    },
  );

  it('takes ranges of rows as it takes one', () => {
    const [notes, file] = [someNotes(1234), inFolder()];
    madeBy(TOY_1, file, notes);
    const db = openDatabase(file, TOY_3);
    expect(readNotes(db)).toEqual(notes);
    db.close();
  });

  it('logs ahead from then on, also where it was put back from a copy, which does not', () => {
    const file = oldFile();
    meddle(file, 'PRAGMA journal_mode = DELETE');
    const db = openDatabase(file, TOY_3);
    expect(db.query('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    expect(db.query('PRAGMA synchronous').get()).toMatchObject({ synchronous: 2 });
    db.close();
  });

  it('is refused as `older` where no step begins with it, and not touched', () => {
    const file = oldFile();
    const before = readFileSync(file);
    const kind = { ...TOY_3, migrations: MIGRATIONS.slice(1) };
    expect(() => openDatabase(file, kind)).toThrow(
      expect.objectContaining({
        problem: 'older',
        facts: expect.objectContaining({ code: 'store_unusable' }) as object,
      }),
    );
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(beside(file)).toEqual(['notes.db']);
  });

  it.each([
    ['a gap', [MIGRATIONS[0]!, { from: 3, run: '' }]],
    ['no end at the current version', MIGRATIONS.slice(0, 1)],
  ])('is not touched by steps with %s', (_what, migrations) => {
    const file = oldFile();
    const before = readFileSync(file);
    expect(() => openDatabase(file, { ...TOY_3, migrations })).toThrow('have a gap');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('keeps nothing of what a step removed in pages that nothing uses', () => {
    const secret = '01020123456789012345';
    const file = oldFile(TOY_1, [{ amount: '1.00', body: secret.padEnd(9000, '.') }]);
    expect(readFileSync(file).includes(secret)).toBe(true);
    const db = openDatabase(file, withStep('DROP TABLE notes'));
    db.transaction(() => db.query('SELECT 1').get());
    db.close();
    expect(beside(file)).toEqual(['notes.db']);
    expect(readFileSync(file).includes(secret)).toBe(false);
  });
});

describe('a step that fails', () => {
  const FAILURES: readonly (readonly [name: string, kind: DatabaseKind, problem: string])[] = [
    ['in its SQL', withStep('DROP TABLE notes; INSERT INTO nowhere VALUES (1)'), 'unmigrated'],
    [
      'in its work, after a step that was done and rows that were changed',
      withStep((db) => {
        toVersion3(db, (done) => {
          if (done === 20) throw new TypeError('a defect');
        });
      }),
      'unmigrated',
    ],
    [
      'because the disk is full in the middle',
      withStep((db) => {
        toVersion3(db, (done) => {
          if (done !== 20) return;
          const { page_count: pages } = db.query<{ page_count: number }>('PRAGMA page_count').get()!;
          db.query(`PRAGMA max_page_count = ${String(pages)}`).get();
          db.run('UPDATE bodies SET body = ?', 'x'.repeat(50_000));
        });
      }),
      'full',
    ],
    ['by ending the transaction', withStep('CREATE TABLE t (a); ROLLBACK'), 'unmigrated'],
  ];

  it.each(FAILURES)('%s leaves the old file whole, and nothing beside it', (_name, kind, problem) => {
    const file = oldFile();
    const [bytes, before] = [readFileSync(file), dump(file)];
    expect(() => openDatabase(file, kind)).toThrow(
      expect.objectContaining({
        problem,
        exitCode: 16,
        facts: expect.objectContaining({ outcome: 'not_sent' }) as object,
      }),
    );
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect(dump(file)).toEqual(before);
    expect(beside(file)).toEqual(['notes.db']);
    const old = openDatabase(file, TOY_1);
    writeNotes(old, TOY_1, someNotes(1));
    old.close();
    const db = openDatabase(file, TOY_3);
    expect(readNotes(db)).toEqual([...someNotes(20), ...someNotes(1)]);
    db.close();
  });

  it('says what a person can do, and nothing of what is in the file', () => {
    const file = oldFile(TOY_1, [{ amount: '1.00', body: 'secret' }]);
    const kind = withStep((db) => {
      JSON.parse(db.query<{ body: string }>('SELECT body FROM notes').get()!.body);
    });
    const open = (): unknown => openDatabase(file, kind);
    expect(open).toThrow(/could not be updated for this version of svc\. Nothing in it changed/);
    expect(open).not.toThrow(/secret/);
  });
});

describe('the copy', () => {
  it('stands beside the file, private, with what was only in the log, until somebody has worked and closed', () => {
    const file = inFolder();
    const old = openDatabase(file, TOY_1);
    writeNotes(old, TOY_1, someNotes(20));
    // The file itself holds no note yet: its writer has not closed it.
    const db = openDatabase(file, TOY_3);
    old.close();
    const copy = file + COPY;
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(integrity(copy)).toBe('ok');
    expect(dump(copy)).toMatchObject({ version: 1, rows: { notes: { length: 20 } } });
    expect(readNotes(db)).toEqual(someNotes(20));
    expect(existsSync(copy)).toBe(true);
    db.close();
    expect(beside(file)).toEqual(['notes.db']);
  });

  it('can take the place of the file again', () => {
    const file = oldFile();
    openDatabase(file, TOY_3).close();
    writeFileSync(file, readFileSync(file + COPY));
    const old = openDatabase(file, TOY_1);
    writeNotes(old, TOY_1, someNotes(1));
    old.close();
    const db = openDatabase(file, TOY_3);
    expect(readNotes(db)).toHaveLength(21);
    db.close();
    expect(beside(file)).toEqual(['notes.db']);
  });

  it.each([
    ['did nothing', () => undefined],
    [
      'met an error',
      (db: ReturnType<typeof openDatabase>) => {
        readNotes(db);
        const fail = (): never => {
          throw new TypeError('what was read makes no sense');
        };
        expect(() => db.transaction(fail)).toThrow('makes no sense');
      },
    ],
  ])('outlives a run that %s, and goes with the next good one', (_what, use) => {
    const file = oldFile();
    const first = openDatabase(file, TOY_3);
    use(first);
    first.close();
    expect(beside(file)).toEqual(['notes.db', `notes.db${COPY}`]);
    const second = openDatabase(file, TOY_3);
    readNotes(second);
    second.close();
    expect(beside(file)).toEqual(['notes.db']);
  });

  it('of an earlier migration is kept until a run was good, beside that of the next one', () => {
    const file = oldFile();
    openDatabase(file, TOY_2).close();
    openDatabase(file, TOY_3).close();
    expect(beside(file)).toEqual(['notes.db', 'notes.db.before-v2', `notes.db${COPY}`]);
    expect([dump(`${file}.before-v2`).version, dump(file + COPY).version]).toEqual([1, 2]);
    const db = openDatabase(file, TOY_3);
    readNotes(db);
    db.close();
    expect(beside(file)).toEqual(['notes.db']);
  });

  it('that was left with a migration that never ended is made anew', () => {
    const file = oldFile();
    writeFileSync(file + COPY, 'half of a copy');
    writeFileSync(`${file}${COPY}.tmp`, 'half of another', { mode: 0o644 });
    writeFileSync(`${file}${COPY}.tmp-journal`, 'and its journal');
    openDatabase(file, TOY_3).close();
    expect(integrity(file + COPY)).toBe('ok');
    expect(statSync(file + COPY).mode & 0o777).toBe(0o600);
    expect(beside(file)).toEqual(['notes.db', `notes.db${COPY}`]);
  });

  it('is nothing that a new file or a current one has', () => {
    const file = inFolder();
    madeBy(TOY_3, file, someNotes(1));
    const db = openDatabase(file, TOY_3);
    expect(beside(file)).not.toContain(`notes.db${COPY}`);
    db.close();
  });

  it('that can’t be removed is no reason for a run to fail', () => {
    const file = oldFile();
    const db = openDatabase(file, TOY_3);
    readNotes(db);
    // What removes files leaves a folder.
    rmSync(file + COPY);
    mkdirSync(file + COPY);
    expect(() => db.close()).not.toThrow();
    expect(beside(file)).toEqual(['notes.db', `notes.db${COPY}`]);
  });
});

describe('who made a file', () => {
  const makers = (file: string): unknown => {
    const db = new DatabaseSync(file);
    const rows = db.prepare('SELECT first, last FROM made_by').all();
    db.close();
    return rows.map((row) => ({ ...row }));
  };

  it('is in a new one', () => {
    const file = inFolder();
    openDatabase(file, TOY_3).close();
    expect(makers(file)).toEqual([{ first: VERSION, last: VERSION }]);
  });

  it('is not known of one from before the table; who migrated it is', () => {
    const file = oldFile();
    meddle(file, 'DROP TABLE made_by');
    openDatabase(file, TOY_3).close();
    expect(makers(file)).toEqual([{ first: null, last: VERSION }]);
  });

  it('stays with it, and who wrote it last is noted by who writes, not by who looks', () => {
    const file = oldFile(TOY_3);
    meddle(file, "UPDATE made_by SET first = '0.0.1', last = '0.0.2'");
    const db = openDatabase(file, TOY_3);
    readNotes(db);
    expect(makers(file)).toEqual([{ first: '0.0.1', last: '0.0.2' }]);
    writeNotes(db, TOY_3, someNotes(1));
    expect(makers(file)).toEqual([{ first: '0.0.1', last: VERSION }]);
    db.close();
  });

  it('is noted with the write that is whole, or not at all', () => {
    const file = oldFile(TOY_3);
    meddle(file, "UPDATE made_by SET last = '0.0.2'");
    const db = openDatabase(file, TOY_3);
    const fail = (): never => {
      db.run("UPDATE notes SET state = 'closed'");
      throw new TypeError('a defect');
    };
    expect(() => db.transaction(fail)).toThrow('a defect');
    expect(makers(file)).toMatchObject([{ last: '0.0.2' }]);
    writeNotes(db, TOY_3, someNotes(1));
    expect(makers(file)).toMatchObject([{ last: VERSION }]);
    db.close();
  });

  it.each(['DROP TABLE made_by', 'DELETE FROM made_by'])('may be missing: %s', (sql) => {
    const file = oldFile(TOY_3);
    meddle(file, sql);
    const db = openDatabase(file, TOY_3);
    writeNotes(db, TOY_3, someNotes(1));
    expect(readNotes(db)).toHaveLength(21);
    db.close();
  });
});
