import fc from 'fast-check';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/runtime/database.js';
import { DatabaseUnusable } from '../../src/runtime/database-unusable.js';
import { VERSION } from '../../src/runtime/version.js';
import { dump, meddle } from '../support/database-dump.js';
import { testFolder } from '../support/test-folder.js';
import { beside, madeNotes, readNotes, someNotes, TOY, writeNotes } from './toy-store.js';

const made = (): string => madeNotes(300, 200);

function tryToOpen(file: string, kind = TOY): DatabaseUnusable | null {
  try {
    openDatabase(file, kind).close();
    return null;
  } catch (error) {
    if (error instanceof DatabaseUnusable) return error;
    throw error;
  }
}

function expectUntouched(file: string, before: Buffer): void {
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(beside(file)).toEqual(['notes.db']);
}

describe('a file', () => {
  it('with any bit flipped is opened, or refused and left as it is', () => {
    const whole = readFileSync(made());
    const file = join(testFolder(), 'notes.db');
    const ends = new Set<string>();
    const place = fc.oneof(
      fc.nat(whole.length - 1),
      fc.nat(120),
      fc.tuple(fc.nat(whole.length / 4096 - 1), fc.nat(15)).map(([page, at]) => page * 4096 + at),
    );
    fc.assert(
      fc.property(place, fc.nat(7), (at, bit) => {
        const bytes = Buffer.from(whole);
        bytes[at]! ^= 1 << bit;
        writeFileSync(file, bytes);
        const failure = tryToOpen(file);
        ends.add(failure?.problem ?? 'opened');
        expectUntouched(file, bytes);
      }),
      { numRuns: 200 },
    );
    expect([...ends]).toEqual(expect.arrayContaining(['opened', 'damaged']));
  });

  it.each([
    ['and all its tables', ''],
    ['and tables that are not in the way of new ones', 'ALTER TABLE notes RENAME TO n; DROP TABLE made_by;'],
  ])('without its number %s is damaged, not new', (_what, sql) => {
    const file = made();
    meddle(file, `${sql} PRAGMA user_version = 0`);
    const before = readFileSync(file);
    expect(tryToOpen(file)?.problem).toBe('damaged');
    expectUntouched(file, before);
  });

  it('that says in its header that it may only be read is damaged', () => {
    const file = made();
    const before = readFileSync(file);
    before[18] = 9;
    writeFileSync(file, before);
    const db = openDatabase(file, TOY);
    expect(() => writeNotes(db, someNotes(1))).toThrow(expect.objectContaining({ problem: 'damaged' }));
    db.close();
    expectUntouched(file, before);
  });
});

describe("another program's file", () => {
  it.each([1, 2, 3, 4])('is foreign, whatever number it has: %i', (version) => {
    const file = made();
    meddle(file, `PRAGMA application_id = 7; PRAGMA user_version = ${String(version)}`);
    const before = readFileSync(file);
    expect(tryToOpen(file)?.problem).toBe('foreign');
    expectUntouched(file, before);
  });
});

describe('a file of a newer version', () => {
  const NEWER = { ...TOY, version: 4 };

  it('is refused as `store_newer`, names the version of svc that wrote it, and is not touched', () => {
    const file = made();
    meddle(file, "PRAGMA user_version = 4; UPDATE made_by SET first = '0.9.0', last = '7.0.0-rc.1'");
    const before = readFileSync(file);
    const failure = tryToOpen(file);
    expect(failure).toMatchObject({ problem: 'newer', exitCode: 16 });
    expect(failure?.facts).toMatchObject({ code: 'store_newer', outcome: 'not_sent' });
    expect(failure?.message).toBe(
      `The store of notes ${file} was written by svc 7.0.0-rc.1, newer than this one (${VERSION}). ` +
        'Nothing in it changed. Update svc, then run this again.',
    );
    expectUntouched(file, before);
    expect(tryToOpen(file, NEWER)).toBeNull();
  });

  it.each([
    ['does not say', 'DROP TABLE made_by'],
    ['says nothing', 'DELETE FROM made_by'],
    ['says what no version is', "UPDATE made_by SET last = char(27) || '[2J'"],
    ['says it elsewhere', 'ALTER TABLE made_by RENAME COLUMN last TO latest'],
  ])('that %s who wrote it is refused as well', (_what, sql) => {
    const file = made();
    meddle(file, `PRAGMA user_version = 4; ${sql}`);
    expect(tryToOpen(file)?.message).toContain('was written by a version of svc newer than this one');
  });

  it('is noticed by a program that had it open, before that writes anything more', () => {
    const file = made();
    const old = openDatabase(file, TOY);
    writeNotes(old, someNotes(1));
    meddle(file, 'PRAGMA user_version = 4');
    const before = dump(file);
    expect(() => writeNotes(old, someNotes(1))).toThrow(
      expect.objectContaining({
        problem: 'newer',
        message: expect.stringContaining(`svc ${VERSION}`) as string,
      }),
    );
    old.close();
    expect(dump(file)).toEqual(before);
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
    const file = join(testFolder(), 'notes.db');
    openDatabase(file, TOY).close();
    expect(makers(file)).toEqual([{ first: VERSION, last: VERSION }]);
  });

  it('stays with it, and who wrote it last is noted by who writes, not by who looks', () => {
    const file = made();
    meddle(file, "UPDATE made_by SET first = '0.0.1', last = '0.0.2'");
    const db = openDatabase(file, TOY);
    readNotes(db);
    expect(makers(file)).toEqual([{ first: '0.0.1', last: '0.0.2' }]);
    writeNotes(db, someNotes(1));
    expect(makers(file)).toEqual([{ first: '0.0.1', last: VERSION }]);
    db.close();
  });

  it('is noted with the write that is whole, or not at all', () => {
    const file = made();
    meddle(file, "UPDATE made_by SET last = '0.0.2'");
    const db = openDatabase(file, TOY);
    const fail = (): never => {
      db.run("UPDATE notes SET state = 'closed'");
      throw new TypeError('a defect');
    };
    expect(() => db.transaction(fail)).toThrow('a defect');
    expect(makers(file)).toMatchObject([{ last: '0.0.2' }]);
    writeNotes(db, someNotes(1));
    expect(makers(file)).toMatchObject([{ last: VERSION }]);
    db.close();
  });
});
