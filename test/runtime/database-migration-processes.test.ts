/** Migrations as only processes can show them: killed at any point, several at once, on a disk that is full. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/runtime/database.js';
import { dump, integrity } from '../support/database-dump.js';
import { bundle, start, startOnSmallDisk, testFolder } from '../sandbox/store/program.js';
import { madeBy, readNotes, someNotes, TOY_1, TOY_3, writeNotes } from './toy-store.js';

const PRELUDE = `
import { writeSync } from 'node:fs';
import { openDatabase } from './src/runtime/database.js';
import { MIGRATIONS, readNotes, TOY_3, toVersion3 } from './test/runtime/toy-store.ts';
`;

/** Says where it is, and stops for good at the point that is asked for. */
const PROGRAM = `
const [file, stop] = process.argv.slice(2);
const at = (point) => {
  writeSync(1, point + '\\n');
  if (point === stop) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};
const migrations = [
  { from: 1, run: (db) => { at('copied'); db.exec(MIGRATIONS[0].run); } },
  { from: 2, run: (db) => { toVersion3(db, (done) => { if (done === 1500) at('in the middle'); }); at('before the commit'); } },
];
try {
  const db = openDatabase(file, { ...TOY_3, migrations });
  at('committed');
  writeSync(1, readNotes(db).length + ' notes\\n');
  db.close();
} catch (error) {
  writeSync(1, 'problem ' + error.problem + '\\n');
}
`;

/** Some megabytes: more than SQLite keeps in memory, so that what is not committed reaches the log. */
const NOTES = someNotes(3000, 1500);
const COPY = '.before-v3';

const folder = mkdtempSync(join(tmpdir(), 'svc-migration-'));
let program: string;
beforeAll(async () => {
  program = await bundle(folder, PROGRAM, PRELUDE);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const beside = (file: string): string[] => readdirSync(dirname(file)).toSorted();

function oldFile(): string {
  const file = join(testFolder(), 'notes.db');
  madeBy(TOY_1, file, NOTES);
  return file;
}

/** The old program works on, and the next new one brings the file to its version. */
function expectUsable(file: string): void {
  expect(integrity(file)).toBe('ok');
  const old = openDatabase(file, TOY_1);
  writeNotes(old, TOY_1, someNotes(1));
  old.close();
  const db = openDatabase(file, TOY_3);
  expect(readNotes(db)).toEqual([...NOTES, ...someNotes(1)]);
  db.close();
  expect(integrity(file)).toBe('ok');
  expect(beside(file)).toEqual(['notes.db']);
}

describe('a kill', () => {
  it.each(['copied', 'in the middle', 'before the commit'])('at "%s" leaves the old file', async (point) => {
    const file = oldFile();
    const before = dump(file);
    const { child, ended, lines } = start(program, file, point);
    for (let count = 1; (await lines(count)).at(-1) !== point;) count += 1;
    child.kill('SIGKILL');
    await ended;
    expect(dump(file)).toEqual(before);
    expect(dump(file + COPY)).toEqual(before);
    expectUsable(file);
  });

  it('while the copy is made leaves the old file', async () => {
    for (let attempt = 1; ; attempt += 1) {
      const file = oldFile();
      const before = dump(file);
      const { child, ended } = start(program, file, 'copied');
      while (!existsSync(`${file}${COPY}.tmp`) && !existsSync(file + COPY)) await setImmediate();
      child.kill('SIGKILL');
      await ended;
      expect(dump(file)).toEqual(before);
      const isHit = existsSync(`${file}${COPY}.tmp`);
      expectUsable(file);
      if (isHit) return;
      expect(attempt).toBeLessThan(20);
    }
  }, 180_000);

  it('after the commit leaves the new file and the copy, which the next good run removes', async () => {
    const file = oldFile();
    const before = dump(file);
    const { child, ended, lines } = start(program, file, 'committed');
    await lines(4);
    child.kill('SIGKILL');
    await ended;
    expect(dump(file + COPY)).toEqual(before);
    const db = openDatabase(file, TOY_3);
    expect(readNotes(db)).toEqual(NOTES);
    db.close();
    expect(beside(file)).toEqual(['notes.db']);
  });
});

describe('several processes at once', () => {
  it('one migrates, the others wait and go on', async () => {
    const file = oldFile();
    const runs = await Promise.all(Array.from({ length: 5 }, () => start(program, file).ended));
    expect(runs.map(({ output }) => output.split('\n').at(-2))).toEqual(Array(5).fill('3000 notes'));
    expect(runs.filter(({ output }) => output.includes('copied'))).toHaveLength(1);
    expect(beside(file)).toEqual(['notes.db']);
  });

  it('another takes the place of one that is killed', async () => {
    const file = oldFile();
    const first = start(program, file, 'in the middle');
    await first.lines(2);
    const others = Array.from({ length: 2 }, () => start(program, file).ended);
    first.child.kill('SIGKILL');
    const runs = await Promise.all(others);
    expect(runs.map(({ output }) => output.split('\n').at(-2))).toEqual(Array(2).fill('3000 notes'));
    expect(runs.filter(({ output }) => output.includes('copied'))).toHaveLength(1);
  });
});

describe('a disk that is full', () => {
  it('before or in the middle leaves the old file, and the next run has room again', async () => {
    const met = new Set<string>();
    for (const limitKb of [60, 2000, 6000, 8000, 9000, 100_000]) {
      const file = oldFile();
      const before = dump(file);
      const { output } = await startOnSmallDisk(limitKb, program, file).ended;
      const isWhole = output.endsWith('3000 notes\n');
      met.add(isWhole ? 'whole' : output.includes('copied') ? 'in the middle' : 'no copy');
      if (isWhole) {
        expect(beside(file)).toEqual(['notes.db']);
        continue;
      }
      expect(output).toMatch(/problem (full|unwritable)\n$/);
      expect(beside(file)).toEqual(['notes.db']);
      expect(dump(file)).toEqual(before);
      expectUsable(file);
    }
    expect(met).toEqual(new Set(['no copy', 'in the middle', 'whole']));
  }, 180_000);
});
