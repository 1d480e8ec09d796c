import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { foldReference } from '../../../src/contract/reference.js';
import { openDatabase } from '../../../src/runtime/database.js';
import { Failure } from '../../../src/runtime/failure.js';
import { systemRandom } from '../../../src/runtime/clock.js';
import { MIRRORS_KIND } from '../../../src/storage/mirror/schema.js';
import { mirrorsIn, openMirrors } from '../../../src/storage/mirror/sqlite-mirrors.js';
import { syncMirror } from '../../../src/feed/sync.js';
import { Seeded } from '../../support/seeded.js';
import { eventsOf, feedOf, freshMirror, known, mirrorFile, PLACE, uuid } from '../../feed/given.js';
import { rounds } from '../../support/rounds.js';

const NO_READ = { read: null };
const COUNT = 120;
const REFERENCES = Array.from({ length: 7 }, (_, at) => `emp-${at}`);

async function filled(): Promise<string> {
  const file = mirrorFile();
  const { mirror, mirrors } = await freshMirror(file);
  await syncMirror(mirror, feedOf(eventsOf(COUNT)).pagesFrom, NO_READ);
  await mirrors.close();
  return file;
}

async function use(file: string): Promise<'used' | 'refused'> {
  try {
    const mirrors = openMirrors(file, systemRandom);
    try {
      const mirror = mirrors.of((await mirrors.companyOf(PLACE)) ?? (await mirrors.begin(PLACE)));
      const found = await mirror.ofReferences('payout', REFERENCES);
      for (const [reference, operations] of found)
        for (const operation of operations) {
          expect(foldReference(operation.reference ?? '')).toBe(reference);
          expect(operation.direction).toBe('payout');
        }
      const ids = Array.from({ length: COUNT }, (_, number) => uuid(number));
      for (const [id, operation] of await mirror.ofIds(ids)) expect(operation.id).toBe(id);
      await syncMirror(mirror, feedOf(eventsOf(COUNT)).pagesFrom, NO_READ);
      return 'used';
    } finally {
      await mirrors.close();
    }
  } catch (error) {
    expect(error, String(error)).toBeInstanceOf(Failure);
    expect((error as Failure).exitCode).toBe(16);
    return 'refused';
  }
}

it('a mark that lies ahead of the last row hides nothing that is read later', async () => {
  const file = await filled();
  const raw = new DatabaseSync(file);
  raw.exec('UPDATE tail SET indexed = 1000');
  raw.close();
  const mirrors = openMirrors(file, systemRandom);
  const mirror = mirrors.of((await mirrors.companyOf(PLACE)) ?? (await mirrors.begin(PLACE)));
  const ids = [uuid(0), uuid(COUNT)];
  expect([...(await mirror.ofIds(ids)).keys()]).toEqual([uuid(0)]);
  await syncMirror(mirror, feedOf(eventsOf(COUNT + 1)).pagesFrom, NO_READ);
  expect([...(await mirror.ofIds(ids)).keys()]).toEqual(ids);
  await mirrors.close();
});

it('bits that flip anywhere in the file', async () => {
  const bytes = readFileSync(await filled());
  const random = new Seeded(5);
  const ends = { used: 0, refused: 0 };
  for (let round = 0; round < rounds(250); round += 1) {
    const copy = Buffer.from(bytes);
    for (let flips = 0; flips < 3; flips += 1) {
      const at = random.below(copy.length);
      copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
    }
    const file = mirrorFile();
    writeFileSync(file, copy, { mode: 0o600 });
    ends[await use(file)] += 1;
  }
  expect(ends.refused).toBeGreaterThanOrEqual(rounds(10));
  expect(ends.used).toBeGreaterThanOrEqual(rounds(10));
}, 180_000);

it('a file that ends anywhere', async () => {
  const original = await filled();
  const { length } = readFileSync(original);
  const random = new Seeded(11);
  const ends = { used: 0, refused: 0 };
  for (let round = 0; round < rounds(40); round += 1) {
    const file = mirrorFile();
    copyFileSync(original, file);
    truncateSync(file, random.below(length));
    ends[await use(file)] += 1;
  }
  expect(ends.refused).toBeGreaterThanOrEqual(rounds(10));
}, 180_000);

async function changedFile(sql: string): Promise<string> {
  const file = await filled();
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
  return file;
}

async function changedBy(sql: string) {
  const mirrors = openMirrors(await changedFile(sql), systemRandom);
  return { mirrors, mirror: mirrors.of((await mirrors.companyOf(PLACE))!) };
}

it.each([
  ['a reference', "UPDATE operations SET reference = 'emp-4' WHERE reference = 'emp-3'"],
  ['a direction', "UPDATE operations SET direction = 'payoff'"],
  ['a direction that exists', "UPDATE operations SET direction = 'payin'"],
  ['the company', 'UPDATE operations SET company = company + 1'],
])('a row in which %s is not what was written', async (_what, sql) => {
  const { mirrors, mirror } = await changedBy(sql);
  const found = mirror.ofReferences('payout', ['emp-3']);
  await expect(found).rejects.toMatchObject({ problem: 'damaged', exitCode: 16 });
  await mirrors.close();
});

it.each([
  ['a reading that is cut', 'UPDATE companies SET reading = substr(reading, 1, 20)'],
  ['a cursor that is off by a digit', "UPDATE companies SET reading = replace(reading, '120', '121')"],
  ['a tail that is gone', 'DELETE FROM tail'],
])('%s', async (_what, sql) => {
  const { mirrors, mirror } = await changedBy(sql);
  const feed = feedOf(eventsOf(3));
  await expect(syncMirror(mirror, feed.pagesFrom, NO_READ)).rejects.toMatchObject({ problem: 'damaged' });
  await mirrors.close();
});

describe('a file of another kind', () => {
  it.each([
    ['newer', 'PRAGMA user_version = 99'],
    ['foreign', 'PRAGMA application_id = 1; PRAGMA user_version = 0'],
    ['damaged', null],
  ])('is %s', async (problem, sql) => {
    const file = sql === null ? mirrorFile() : await changedFile(sql);
    const text = 'no database at all, and long enough to be seen as one';
    if (sql === null) writeFileSync(file, text, { mode: 0o600 });
    const before = readFileSync(file);
    const refusal = expect.objectContaining({ problem, exitCode: 16 }) as Error;
    expect(() => openMirrors(file, systemRandom)).toThrow(refusal);
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

it('a full disk keeps the pages that fitted, and the reading goes on when there is room', async () => {
  const file = mirrorFile();
  const db = openDatabase(file, MIRRORS_KIND);
  const mirrors = mirrorsIn(db, file, systemRandom, 50);
  const mirror = mirrors.of(await mirrors.begin(PLACE));
  // A limit on pages looks like a full disk to SQLite.
  const { page_count: pages } = db.query<{ page_count: number }>('PRAGMA page_count').get()!;
  db.query(`PRAGMA max_page_count = ${pages + 12}`).get();
  const { pagesFrom } = feedOf(eventsOf(400), { perPage: 10 });
  const refusal = { problem: 'full', exitCode: 16 };
  await expect(syncMirror(mirror, pagesFrom, NO_READ)).rejects.toMatchObject(refusal);
  const { cursor } = await mirror.reading();
  expect(Number(cursor)).toBeGreaterThan(0);
  expect(Number(cursor)).toBeLessThan(400);
  db.query('PRAGMA max_page_count = 100000').get();
  const rest = feedOf(eventsOf(400), { perPage: 10 });
  expect(await syncMirror(mirror, rest.pagesFrom, NO_READ)).toMatchObject({ operations: 400 });
  expect(rest.asked[0]).toBe(cursor);
  await mirrors.close();
});

it('a commit that fails leaves neither rows nor cursor', async () => {
  const file = mirrorFile();
  const db = openDatabase(file, MIRRORS_KIND);
  const mirrors = mirrorsIn(db, file, systemRandom);
  const mirror = mirrors.of(await mirrors.begin(PLACE));
  const before = await mirror.reading();
  db.run('CREATE TRIGGER late BEFORE UPDATE OF reading ON companies BEGIN SELECT RAISE(ABORT, "no"); END');
  const late = mirror.commit(known(...eventsOf(3)), { ...before, cursor: '3' });
  await expect(late).rejects.toBeInstanceOf(Failure);
  expect([await mirror.size(), await mirror.reading()]).toEqual([0, before]);
  await mirrors.close();
});
