/** Files that no version wrote: damaged, another program's, a newer one's. None of them is migrated, and none of them is touched. */
import fc from 'fast-check';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/runtime/database.js';
import { DatabaseUnusable } from '../../src/runtime/database-unusable.js';
import { VERSION } from '../../src/runtime/version.js';
import { dump, integrity, meddle } from '../support/database-dump.js';
import { testFolder } from '../sandbox/store/program.js';
import { madeBy, someNotes, TOY_1, TOY_2, TOY_3, writeNotes } from './toy-store.js';

function oldFile(): string {
  const file = join(testFolder(), 'notes.db');
  madeBy(TOY_1, file, someNotes(300, 200));
  return file;
}

/** Opens and closes the file; the failure, or null. Anything but a failure of local state is a defect. */
function tryToOpen(file: string, kind = TOY_3): DatabaseUnusable | null {
  try {
    openDatabase(file, kind).close();
    return null;
  } catch (error) {
    if (error instanceof DatabaseUnusable) return error;
    throw error;
  }
}

const beside = (file: string): string[] => readdirSync(dirname(file)).toSorted();

/** It was refused, and neither it nor its folder has changed. */
function expectUntouched(file: string, before: Buffer): void {
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(beside(file)).toEqual(['notes.db']);
}

describe('an old file', () => {
  it('with any bit flipped is refused and left as it is, or migrated into a sound file', () => {
    const whole = readFileSync(oldFile());
    const folder = testFolder();
    const file = join(folder, 'notes.db');
    const ends = new Set<string>();
    // The header and the tree of a page stand at its beginning, so there the flips are denser.
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
        ends.add(failure?.problem ?? 'migrated');
        if (failure === null) {
          expect(integrity(file)).toBe('ok');
          expect(dump(file).version).toBe(3);
          writeFileSync(`${file}.before-v3`, '');
        } else expect(readFileSync(file).equals(bytes)).toBe(true);
        expect(beside(file).filter((name) => !name.endsWith('.before-v3'))).toEqual(['notes.db']);
      }),
      { numRuns: 200 },
    );
    expect([...ends]).toEqual(expect.arrayContaining(['migrated', 'damaged']));
  }, 180_000);

  it.each([100, 4096, 5000, 4096 * 7, 4096 * 12 + 1])('cut after %i bytes is refused', (length) => {
    const file = oldFile();
    truncateSync(file, length);
    const before = readFileSync(file);
    expect(tryToOpen(file)?.problem).toBe('damaged');
    expectUntouched(file, before);
  });

  it.each([
    ['and all its tables', ''],
    ['and tables that are not in the way of new ones', 'ALTER TABLE notes RENAME TO n; DROP TABLE made_by;'],
  ])('without its number %s is damaged, not new', (_what, sql) => {
    const file = oldFile();
    meddle(file, `${sql} PRAGMA user_version = 0`);
    const before = readFileSync(file);
    expect(tryToOpen(file)?.problem).toBe('damaged');
    expectUntouched(file, before);
  });

  it('that says in its header that it may only be read is damaged', () => {
    const file = oldFile();
    const before = readFileSync(file);
    before[18] = 9;
    writeFileSync(file, before);
    expect(tryToOpen(file)?.problem).toBe('damaged');
    expectUntouched(file, before);
  });
});

describe("another program's file", () => {
  it.each([1, 2, 3, 4])('is foreign, whatever number it has: %i', (version) => {
    const file = oldFile();
    meddle(file, `PRAGMA application_id = 7; PRAGMA user_version = ${String(version)}`);
    const before = readFileSync(file);
    expect(tryToOpen(file)?.problem).toBe('foreign');
    expectUntouched(file, before);
  });
});

describe('a file of a newer version', () => {
  const NEWER = { ...TOY_3, version: 4 };

  it('is refused as `store_newer`, names the version of svc that wrote it, and is not touched', () => {
    const file = join(testFolder(), 'notes.db');
    madeBy(TOY_3, file, someNotes(3));
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
    const file = join(testFolder(), 'notes.db');
    madeBy(TOY_3, file, someNotes(3));
    meddle(file, `PRAGMA user_version = 4; ${sql}`);
    expect(tryToOpen(file)?.message).toContain('was written by a version of svc newer than this one');
  });

  it('is noticed by a program that had it open, before that writes anything more', () => {
    const file = oldFile();
    const old = openDatabase(file, TOY_1);
    writeNotes(old, TOY_1, someNotes(1));
    openDatabase(file, TOY_2).close();
    const before = dump(file);
    expect(() => writeNotes(old, TOY_1, someNotes(1))).toThrow(
      expect.objectContaining({
        problem: 'newer',
        message: expect.stringContaining(`svc ${VERSION}`) as string,
      }),
    );
    old.close();
    expect(dump(file)).toEqual(before);
  });
});
