import { describe, expect, it } from 'vitest';
import type { Mirror } from '../../src/storage/mirror/mirror.js';
import type { Reading } from '../../src/storage/mirror/reading.js';
import { catchUp, syncMirror, type PagesFrom, type SyncProgress } from '../../src/feed/sync.js';
import { Failure } from '../../src/runtime/failure.js';
import { eventsOf, eventText, failing, feedOf, known, refusedCursor, uuid } from './given.js';
import { HOUR_MS, PLACE, START_MS } from './given.js';
import { mirrorEngines } from './engines.js';

const NO_READ = { read: null };
const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, at) => from + at);

async function idsIn(mirror: Mirror, count: number): Promise<string[]> {
  return [...(await mirror.ofIds(numbers(0, count).map((number) => uuid(number)))).keys()];
}

const absent = { read: () => Promise.resolve('absent' as const) };
const GONE = new Failure('network', 'gone');
const THIRD = (_cursor: string | null, count: number) => count === 3;

function beforeCommits(mirror: Mirror, work: () => Promise<void>): Mirror {
  return { ...mirror, commit: (...all) => work().then(() => mirror.commit(...all)) };
}

const ENGINES = await mirrorEngines();

describe.each(ENGINES)('a mirror %s', (_name, { freshMirror, mirrorsAt, newFile }) => {
  describe('a reading', () => {
    it('takes the whole feed in, and says how much it read and knows', async () => {
      const { mirror } = await freshMirror();
      const seen: SyncProgress[] = [];
      const onPage = (progress: SyncProgress) => Promise.resolve(void seen.push(progress));
      const report = await syncMirror(mirror, feedOf(eventsOf(8)).pagesFrom, { read: null, onPage });
      expect(report).toEqual({ events: 8, operations: 8, cursor: '8' });
      expect(await idsIn(mirror, 9)).toEqual(numbers(0, 8).map((number) => uuid(number)));
      expect((await mirror.newest())?.id).toBe(uuid(7));
      expect(await mirror.heardAtMs()).toBe(START_MS + 7 * HOUR_MS);
      expect(seen.map(({ events }) => events)).toEqual([3, 6, 8, 8]);
      expect(seen.at(-1)?.latestMs).toBe(START_MS + 7 * HOUR_MS);
    });

    it('finds by folded reference and direction, failed ones too, in the order of their events', async () => {
      const { mirror } = await freshMirror();
      const events = [
        eventText({ number: 9, data: { reference: 'EMP–7' } }),
        eventText({ number: 4, data: { reference: ' emp-7' } }),
        eventText({ number: 5, type: 'payin.confirmed', data: { reference: 'emp-7', type: 'payin' } }),
        eventText({ number: 6, data: { reference: undefined } }),
      ];
      await syncMirror(mirror, feedOf(events).pagesFrom, NO_READ);
      const found = await mirror.ofReferences('payout', ['emp-7', 'emp-8', 'emp-7']);
      expect([...found.keys()]).toEqual(['emp-7']);
      expect(found.get('emp-7')).toMatchObject([
        { id: uuid(4), status: 'failed', reference: ' emp-7' },
        { id: uuid(9), status: 'failed', reference: 'EMP–7' },
      ]);
      expect((await mirror.ofReferences('payin', ['emp-7'])).get('emp-7')).toMatchObject([{ id: uuid(5) }]);
      expect((await mirror.ofReferences('payin', [''])).size).toBe(0);
    });

    it('finds a uuid in either case, by the id that was given', async () => {
      const { mirror } = await freshMirror();
      await syncMirror(mirror, feedOf(eventsOf(2)).pagesFrom, NO_READ);
      const upper = uuid(1).toUpperCase();
      const found = await mirror.ofIds([upper, uuid(1), 'nonsense']);
      expect([...found.keys()]).toEqual([upper, uuid(1)]);
      expect(found.get(upper)?.id).toBe(uuid(1));
    });

    it('reads on from 48 hours behind the newest event, and finds what showed late', async () => {
      const { mirror } = await freshMirror();
      const events = eventsOf(100);
      const late = events.splice(60, 1);
      await syncMirror(mirror, feedOf(events).pagesFrom, NO_READ);
      expect(await idsIn(mirror, 100)).toHaveLength(99);
      const grown = feedOf([...events.slice(0, 60), ...late, ...events.slice(60), ...eventsOf(2, 100)]);
      const report = await syncMirror(mirror, grown.pagesFrom, NO_READ);
      expect(grown.asked).toEqual(['51']);
      expect(report).toEqual({ events: 51, operations: 102, cursor: '102' });
    });

    it('that fails in the middle keeps what it has, and goes on where it was', async () => {
      const { mirror } = await freshMirror();
      const broken = feedOf(eventsOf(12), { onPage: failing(THIRD, GONE) });
      await expect(syncMirror(mirror, broken.pagesFrom, NO_READ)).rejects.toBe(GONE);
      expect(await mirror.size()).toBe(6);
      const rest = feedOf(eventsOf(12));
      const whole = { operations: 12, cursor: '12' };
      expect(await syncMirror(mirror, rest.pagesFrom, NO_READ)).toMatchObject(whole);
      expect(rest.asked).toEqual(['6', null]);
      const third = feedOf(eventsOf(12));
      await syncMirror(mirror, third.pagesFrom, NO_READ);
      expect(third.asked).toEqual([null]);
    });

    it('that goes on where it was needs no second pass where the service says that all of that is old', async () => {
      const { mirror } = await freshMirror();
      const nowMs = START_MS + 1000 * HOUR_MS;
      const broken = feedOf(eventsOf(12), { nowMs, onPage: failing(THIRD, GONE) });
      await expect(syncMirror(mirror, broken.pagesFrom, NO_READ)).rejects.toBe(GONE);
      const rest = feedOf(eventsOf(12), { nowMs });
      const report = await syncMirror(mirror, rest.pagesFrom, NO_READ);
      expect(report).toEqual({ events: 6, operations: 12, cursor: '12' });
      expect(rest.asked).toEqual(['6']);
    });

    it('takes no page in that it does not understand, nor anything behind it', async () => {
      const { mirror } = await freshMirror();
      const events = [...eventsOf(4), '{"id":"e","type":"payout.failed"}', ...eventsOf(3, 4)];
      const refusal = { kind: 'defect', facts: { code: 'feed_unreadable' } };
      await expect(syncMirror(mirror, feedOf(events).pagesFrom, NO_READ)).rejects.toMatchObject(refusal);
      expect(await idsIn(mirror, 9)).toEqual(numbers(0, 3).map((number) => uuid(number)));
      expect((await mirror.reading()).cursor).toBe('3');
    });

    it('of an empty feed knows nothing and has no cursor', async () => {
      const { mirror } = await freshMirror();
      const report = await syncMirror(mirror, feedOf([]).pagesFrom, NO_READ);
      expect(report).toEqual({ events: 0, operations: 0, cursor: null });
      expect([await mirror.newest(), await mirror.heardAtMs()]).toEqual([null, null]);
    });
  });

  describe('a refused cursor', () => {
    it('means the whole feed again, into the same mirror', async () => {
      const { mirror } = await freshMirror();
      await syncMirror(mirror, feedOf(eventsOf(60)).pagesFrom, NO_READ);
      const onPage = failing((cursor) => cursor === '12', refusedCursor());
      const moved = feedOf(eventsOf(9, 57), { onPage });
      expect(await syncMirror(mirror, moved.pagesFrom, NO_READ)).toMatchObject({ events: 9, operations: 66 });
      expect(moved.asked).toEqual(['12', null]);
    });

    it('is the failure that it is where it happens again, or where there was no cursor', async () => {
      const { mirror } = await freshMirror();
      const onPage = failing(() => true, refusedCursor());
      const first = feedOf(eventsOf(3), { onPage });
      await expect(syncMirror(mirror, first.pagesFrom, NO_READ)).rejects.toMatchObject({ kind: 'rejected' });
      expect(first.asked).toEqual([null]);
      await syncMirror(mirror, feedOf(eventsOf(60)).pagesFrom, NO_READ);
      const later = feedOf(eventsOf(60), { onPage });
      await expect(syncMirror(mirror, later.pagesFrom, NO_READ)).rejects.toMatchObject({ kind: 'rejected' });
      expect(later.asked).toEqual(['12', null]);
      expect(await mirror.size()).toBe(60);
    });

    it.each(['no_access', 'not_found', 'unavailable'] as const)('is none that ends in %s', async (kind) => {
      const { mirror } = await freshMirror();
      await syncMirror(mirror, feedOf(eventsOf(60)).pagesFrom, NO_READ);
      const onPage = failing(() => true, new Failure(kind, 'no', { status: 400 }));
      const refusing = feedOf(eventsOf(60), { onPage });
      await expect(syncMirror(mirror, refusing.pagesFrom, NO_READ)).rejects.toMatchObject({ kind });
      expect(refusing.asked).toEqual(['12']);
    });
  });

  describe('a sandbox that was emptied', () => {
    it('is read anew, and what it held is not known any more', async () => {
      const { mirror } = await freshMirror();
      await syncMirror(mirror, feedOf(eventsOf(60)).pagesFrom, absent);
      const anew = feedOf(eventsOf(4, 90));
      const report = await syncMirror(mirror, anew.pagesFrom, absent);
      expect(report).toEqual({ events: 4, operations: 4, cursor: '4' });
      expect(anew.asked).toEqual([null]);
      expect(await idsIn(mirror, 60)).toEqual([]);
      expect([...(await mirror.ofReferences('payout', ['emp-1'])).values()].flat()).toHaveLength(1);
    });

    it('is told by its newest operation, before any cursor is used', async () => {
      const { mirror } = await freshMirror();
      const asked: string[] = [];
      const read = (id: string) => Promise.resolve((asked.push(id), 'there' as const));
      await syncMirror(mirror, feedOf(eventsOf(60)).pagesFrom, { read });
      expect(asked).toEqual([]);
      const feed = feedOf(eventsOf(60), { onPage: () => expect(asked).toEqual([uuid(59)]) });
      await syncMirror(mirror, feed.pagesFrom, { read });
      expect(feed.asked).toEqual(['12']);
    });

    it('is not taken for emptied where the read is refused', async () => {
      const { mirror } = await freshMirror();
      await syncMirror(mirror, feedOf(eventsOf(5)).pagesFrom, NO_READ);
      const refused = new Failure('no_access', 'no');
      const feed = feedOf(eventsOf(5));
      const read = () => Promise.reject(refused);
      await expect(syncMirror(mirror, feed.pagesFrom, { read })).rejects.toBe(refused);
      expect([await mirror.size(), feed.asked]).toEqual([5, []]);
    });
  });

  describe('two at once', () => {
    it('end with the same mirror, each row once', async () => {
      const file = newFile();
      const { company, mirror } = await freshMirror(file);
      const other = (await mirrorsAt(file)).of(company);
      const reports = await Promise.all([
        syncMirror(mirror, feedOf(eventsOf(40), { perPage: 3 }).pagesFrom, NO_READ),
        syncMirror(other, feedOf(eventsOf(40), { perPage: 7 }).pagesFrom, NO_READ),
      ]);
      expect(reports.map(({ operations }) => operations)).toEqual([40, 40]);
      expect(await idsIn(mirror, 41)).toHaveLength(40);
      expect([...(await mirror.ofReferences('payout', ['emp-3'])).values()].flat()).toHaveLength(6);
    });

    it('one of which begins anew: the other one does too, and nothing of the old one gets in', async () => {
      const file = newFile();
      const { company, mirror } = await freshMirror(file);
      const other = (await mirrorsAt(file)).of(company);
      await syncMirror(mirror, feedOf(eventsOf(60)).pagesFrom, NO_READ);
      let hasBegunAnew = false;
      const onPage = (_cursor: unknown, count: number) => (hasBegunAnew ||= count === 3);
      const old = feedOf(eventsOf(90), { onPage });
      const anew = feedOf(eventsOf(4, 200));
      const watched = beforeCommits(mirror, async () => {
        if (!hasBegunAnew) return;
        hasBegunAnew = false;
        await syncMirror(other, anew.pagesFrom, absent);
      });
      const pagesFrom: PagesFrom = (cursor) => (old.asked.length === 0 ? old : anew).pagesFrom(cursor);
      const report = await syncMirror(watched, pagesFrom, NO_READ);
      expect(report.operations).toBe(4);
      expect(await idsIn(mirror, 100)).toEqual([]);
      expect(anew.asked).toEqual([null, null]);
    });

    it('that both find a sandbox emptied drop it once', async () => {
      const { mirror } = await freshMirror();
      await syncMirror(mirror, feedOf(eventsOf(5)).pagesFrom, NO_READ);
      const before: Reading = await mirror.reading();
      await mirror.reset(before);
      await syncMirror(mirror, feedOf(eventsOf(2, 50)).pagesFrom, NO_READ);
      await mirror.reset(before);
      expect(await mirror.size()).toBe(2);
    });

    it('of companies that turn out to be one: what is read for the dropped one is not believed', async () => {
      const mirrors = await mirrorsAt();
      const rotated = { ...PLACE, keyPrint: 'another' };
      const [one, two] = [await mirrors.begin(PLACE), await mirrors.begin(rotated)];
      await syncMirror(mirrors.of(one), feedOf(eventsOf(9)).pagesFrom, NO_READ);
      const reading = await mirrors.of(two).reading();
      await mirrors.learn(one, rotated);
      const far = { ...reading, cursor: '900', isUnfinished: false };
      expect(await mirrors.of(two).commit(known(eventText({ number: 99 })), far)).toBe(false);
      expect(await mirrors.of(two).reading()).toMatchObject({ cursor: '9' });
      expect(await mirrors.of(two).size()).toBe(9);
    });
  });
});

describe.each(ENGINES)('catching up %s', (_name, { freshMirror }) => {
  it('asks for what is behind the last place alone, and leaves what shows late to the next whole reading', async () => {
    const { mirror } = await freshMirror();
    const events = eventsOf(100);
    await syncMirror(mirror, feedOf(events).pagesFrom, NO_READ);
    const before = await mirror.reading();
    const news = feedOf([...events, ...eventsOf(5, 100)]);
    await catchUp(mirror, news.pagesFrom, NO_READ);
    expect(news.asked).toEqual(['100']);
    expect(await mirror.size()).toBe(105);
    expect(await mirror.reading()).toEqual({ ...before, cursor: '105' });
    const late = eventText({ number: 777, atMs: START_MS + 98 * HOUR_MS });
    const all = [...events.slice(0, 99), late, ...events.slice(99), ...eventsOf(5, 100)];
    await catchUp(mirror, feedOf(all).pagesFrom, NO_READ);
    expect((await mirror.ofIds([uuid(777)])).size).toBe(0);
    const whole = feedOf(all);
    await syncMirror(mirror, whole.pagesFrom, NO_READ);
    expect(whole.asked).toEqual([before.from?.cursor]);
    expect((await mirror.ofIds([uuid(777)])).size).toBe(1);
  });

  it('is a whole reading where nothing was read, or not to the end, and where its place is refused', async () => {
    const { mirror } = await freshMirror();
    const first = feedOf(eventsOf(7));
    await catchUp(mirror, first.pagesFrom, NO_READ);
    expect([first.asked, await mirror.size()]).toEqual([[null], 7]);
    let isRefusing = true;
    const once = () => isRefusing && !(isRefusing = false);
    const refusing = feedOf(eventsOf(9), { onPage: failing(once, refusedCursor()) });
    await catchUp(mirror, refusing.pagesFrom, NO_READ);
    expect([refusing.asked[0], await mirror.size()]).toEqual(['7', 9]);
    const other = (await freshMirror()).mirror;
    const broken = feedOf(eventsOf(9), { onPage: failing(THIRD, GONE) });
    await expect(catchUp(other, broken.pagesFrom, NO_READ)).rejects.toBe(GONE);
    await catchUp(other, feedOf(eventsOf(9)).pagesFrom, NO_READ);
    expect(await other.size()).toBe(9);
    expect((await other.reading()).isUnfinished).toBe(false);
  });

  it('begins anew where a sandbox was emptied, and where another process has', async () => {
    const { mirror } = await freshMirror();
    await syncMirror(mirror, feedOf(eventsOf(9)).pagesFrom, NO_READ);
    await catchUp(mirror, feedOf(eventsOf(3, 50)).pagesFrom, absent);
    expect(await mirror.size()).toBe(3);
    let isFirst = true;
    const watched = beforeCommits(mirror, async () => {
      if (isFirst) await mirror.reset(await mirror.reading());
      isFirst = false;
    });
    await catchUp(watched, feedOf([...eventsOf(3, 50), ...eventsOf(3, 60)]).pagesFrom, NO_READ);
    expect(await mirror.size()).toBe(6);
  });
});
