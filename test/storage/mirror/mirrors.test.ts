import { readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/runtime/database.js';
import { systemRandom } from '../../../src/runtime/clock.js';
import type { KnownOperation } from '../../../src/contract/operation-facts.js';
import { emptyReading } from '../../../src/storage/mirror/reading.js';
import { MIRRORS_KIND } from '../../../src/storage/mirror/schema.js';
import { mirrorsIn, openMirrors } from '../../../src/storage/mirror/sqlite-mirrors.js';
import { syncMirror } from '../../../src/feed/sync.js';
import { eventsOf, eventText, feedOf, freshMirror, known } from '../../feed/given.js';
import { mirrorFile, mirrorsAt, PLACE, uuid } from '../../feed/given.js';
import { mirrorEngines } from '../../feed/engines.js';

const ENGINES = await mirrorEngines();
const NO_READ = { read: null };

describe('the file', () => {
  it('is private, and outlives the process', async () => {
    const file = mirrorFile();
    const { company, mirror, mirrors } = await freshMirror(file);
    await syncMirror(mirror, feedOf(eventsOf(9)).pagesFrom, NO_READ);
    await mirrors.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = openMirrors(file, systemRandom);
    expect(await again.companyOf(PLACE)).toEqual(company);
    expect(await again.of(company).size()).toBe(9);
    expect(await again.of(company).reading()).toMatchObject({ cursor: '9', isUnfinished: false });
    await again.close();
  });

  it('holds no name, no account and no metadata', async () => {
    const file = mirrorFile();
    const { mirror, mirrors } = await freshMirror(file);
    const events = eventsOf(30);
    await syncMirror(mirror, feedOf(events).pagesFrom, NO_READ);
    await mirrors.close();
    const bytes = readFileSync(file).toString('latin1');
    expect(events.join('')).toContain('CANARY');
    expect(bytes).not.toContain('CANARY');
    expect(bytes).toContain('emp-3');
  });

  it('is synced when the log goes into it and not at every page, in the mode of a log', () => {
    const file = mirrorFile();
    const db = openDatabase(file, MIRRORS_KIND);
    const mirrors = mirrorsIn(db, file, systemRandom);
    expect(db.query('PRAGMA synchronous').get()).toMatchObject({ synchronous: 1 });
    expect(db.query('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    return mirrors.close();
  });
});

describe.each(ENGINES)('mirrors %s', (_name, { freshMirror, mirrorsAt, newFile }) => {
  it('takes text of any kind, and gives it back', async () => {
    const { mirror } = await freshMirror();
    const references = ["o'brien", 'a\0b', 'ñandú 😀', '', '   ', '"', 'x'.repeat(5000)];
    const events = references.map((reference, number) => eventText({ number, data: { reference } }));
    await syncMirror(mirror, feedOf(events).pagesFrom, NO_READ);
    const found = await mirror.ofIds(references.map((_, number) => uuid(number)));
    expect([...found.values()].map(({ reference }) => reference)).toEqual(references);
    expect((await mirror.ofReferences('payout', ['a\0b', 'ñandú 😀'])).size).toBe(2);
  });

  describe('an operation that is told again', () => {
    const one = eventText({ number: 1 });
    it.each([
      ['in the same page', [one, one], 1],
      ['in another page', [one, ...eventsOf(3, 5), one], 4],
      ['much later', [one, ...eventsOf(30, 5), one, ...eventsOf(30, 40)], 61],
    ])('%s is one row', async (_where, events, size) => {
      const { mirror } = await freshMirror();
      await syncMirror(mirror, feedOf(events).pagesFrom, NO_READ);
      expect(await mirror.size()).toBe(size);
      const found = (await mirror.ofReferences('payout', ['emp-1'])).get('emp-1');
      expect(found?.filter(({ id }) => id === uuid(1))).toHaveLength(1);
    });

    const failed = eventText({ number: 4, eventId: 'first', data: { reference: 'old' } });
    const confirmed = eventText({
      ...{ number: 4, eventId: 'second', type: 'payout.confirmed' },
      data: { status: 'confirmed', reference: 'new', failure: null },
    });
    it.each([
      ['before it was indexed', 100, [failed, confirmed]],
      ['after it was indexed', 1, [failed, confirmed]],
      ['before it was indexed, the other way round', 100, [confirmed, failed]],
      ['after it was indexed, the other way round', 1, [confirmed, failed]],
    ])('is kept as what keeps it from being paid again, %s', async (_when, tailRowsMax, events) => {
      const mirrors = await mirrorsAt(newFile(), tailRowsMax);
      const mirror = mirrors.of(await mirrors.begin(PLACE));
      await syncMirror(mirror, feedOf(events, { perPage: 1 }).pagesFrom, NO_READ);
      expect(await mirror.size()).toBe(1);
      const found = await mirror.ofReferences('payout', ['old', 'new']);
      expect([...found.keys()]).toEqual(['new']);
      const kept = { status: 'confirmed', eventId: 'second', code: null, ends: 'both' };
      expect(found.get('new')).toMatchObject([kept]);
      const [both] = found.get('new') ?? [];
      const told = [{ ...both, status: 'failed', ends: 'told' as const }] as KnownOperation[];
      expect(await mirror.commit(told, await mirror.reading())).toBe(true);
      expect((await mirror.ofIds([uuid(4)])).get(uuid(4))).toEqual(told[0]);
      const { epoch } = await mirror.reading();
      expect(await mirror.commit(known(...events, ...events), emptyReading(epoch))).toBe(true);
      expect((await mirror.ofIds([uuid(4)])).get(uuid(4))).toEqual(told[0]);
    });

    it('takes what its event says now, and loses a reference that it does not say any more', async () => {
      const { mirror } = await freshMirror();
      const before = eventText({ number: 1, data: { bank_reference: null } });
      await syncMirror(mirror, feedOf([before]).pagesFrom, NO_READ);
      await mirror.size();
      const now = eventText({ number: 1, data: { reference: undefined } });
      await syncMirror(mirror, feedOf([now]).pagesFrom, NO_READ);
      expect((await mirror.newest())?.bankReference).toBe('00000001');
      expect((await mirror.ofReferences('payout', ['emp-1'])).size).toBe(0);
    });
  });

  describe('companies', () => {
    const OTHER = { ...PLACE, keyPrint: 'another' };

    it('share a file and nothing else, though they use the same references', async () => {
      const mirrors = await mirrorsAt();
      const [one, two] = [await mirrors.begin(PLACE), await mirrors.begin(OTHER)];
      await syncMirror(mirrors.of(one), feedOf(eventsOf(9)).pagesFrom, NO_READ);
      await syncMirror(mirrors.of(two), feedOf(eventsOf(5, 20)).pagesFrom, NO_READ);
      expect([await mirrors.of(one).size(), await mirrors.of(two).size()]).toEqual([9, 5]);
      const found = (await mirrors.of(two).ofReferences('payout', ['emp-1'])).get('emp-1');
      expect(found).toMatchObject([{ id: uuid(22) }]);
      expect((await mirrors.of(two).ofIds([uuid(1)])).size).toBe(0);
      await mirrors.of(two).reset(await mirrors.of(two).reading());
      expect([await mirrors.of(one).size(), await mirrors.of(two).size()]).toEqual([9, 0]);
      expect((await mirrors.of(one).ofReferences('payout', ['emp-1'])).get('emp-1')).toHaveLength(2);
    });

    it('of an origin are emptied and forgotten together, and those of others are not', async () => {
      const mirrors = await mirrorsAt();
      const sandbox = { ...PLACE, environment: 'sandbox' } as const;
      const elsewhere = { ...sandbox, origin: 'embedded' };
      for (const [place, count] of [
        [PLACE, 3],
        [sandbox, 5],
        [{ ...sandbox, keyPrint: 'another' }, 6],
        [elsewhere, 7],
      ] as const) {
        const mirror = mirrors.of(await mirrors.begin(place));
        await syncMirror(mirror, feedOf(eventsOf(count)).pagesFrom, NO_READ);
      }
      expect(await mirrors.forgetPlace('sandbox', PLACE.origin)).toBe(11);
      expect(await mirrors.companyOf(sandbox)).toBeNull();
      const kept = await Promise.all(
        [PLACE, elsewhere].map(async (place) => mirrors.of((await mirrors.companyOf(place))!).size()),
      );
      expect(kept).toEqual([3, 7]);
      expect(await mirrors.forgetPlace('sandbox', PLACE.origin)).toBe(0);
    });

    it('that are not known have nothing, and are made by their first page', async () => {
      const mirrors = await mirrorsAt();
      const lost = { id: uuid(7), environment: 'live' } as const;
      const mirror = mirrors.of(lost);
      expect([await mirror.newest(), await mirror.size(), await mirror.heardAtMs()]).toEqual([null, 0, null]);
      const found = [await mirror.ofIds([uuid(1)]), await mirror.ofReferences('payout', ['emp-1'])];
      expect(found.map(({ size }) => size)).toEqual([0, 0]);
      expect(await mirror.commit(known(eventText({ number: 1 })), await mirror.reading())).toBe(true);
      expect([await mirror.size(), await mirrors.companyById(lost.id)]).toEqual([1, lost]);
    });
  });
});

it('what was appended is indexed by whoever looks something up, in another process too', async () => {
  const file = mirrorFile();
  const mirrors = mirrorsAt(file, 1000);
  const company = await mirrors.begin(PLACE);
  await mirrors.of(company).commit(known(...eventsOf(20)), await mirrors.of(company).reading());
  const db = new DatabaseSync(file);
  const count = (table: string) => db.prepare(`SELECT count(*) AS n FROM ${table}`).get();
  expect([count('operations'), count('ids')]).toEqual([{ n: 20 }, { n: 0 }]);
  const other = mirrorsAt(file, 1000);
  expect((await other.of(company).ofIds([uuid(3)])).size).toBe(1);
  expect([count('operations'), count('ids'), count('refs')]).toEqual([{ n: 20 }, { n: 20 }, { n: 20 }]);
  db.close();
});
