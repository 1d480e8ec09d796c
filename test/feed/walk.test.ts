import { describe, expect, it } from 'vitest';
import { type Visit, walkFeed } from '../../src/feed/walk.js';
import { eventJson, ids, page, scripted, serveList, type Scripted, type Serve } from './feed.js';
import { manualClock, settled } from './manual-clock.js';

interface Setup {
  readonly follows?: boolean;
  readonly from?: string | null;
  readonly last?: string;
}

function walk(serve: Serve, { follows = false, from = null, last }: Setup = {}) {
  const clock = manualClock();
  const stop = new AbortController();
  const stuck: string[] = [];
  const asked: (string | null)[] = [];
  const visits = walkFeed({
    fetch: (cursor) => {
      asked.push(cursor);
      return new Promise((resolve) => resolve(serve(cursor)));
    },
    ...{ from, last, follows },
    onStuck: ({ message }) => Promise.resolve(void stuck.push(message)),
    ...{ intervalMs: 2000, clock, signal: stop.signal },
  });
  return { visits, clock, stop, asked, stuck };
}

async function all(visits: AsyncIterable<Visit>, found: string[] = []): Promise<string[]> {
  for await (const { page, repeatedIds } of visits)
    found.push(...page.events.map(({ id }) => id).filter((id) => !repeatedIds.has(id)));
  return found;
}

const one = (id: string, next: string | null) => page([eventJson(id)], next);

describe('a walk to the end', () => {
  it.each([0, 1, 2, 3, 4, 7])('hands over %i events, in order, once each', async (count) => {
    expect(await all(walk(serveList(ids(count))).visits)).toEqual(ids(count));
  });

  it('begins behind a cursor', async () => {
    expect(await all(walk(serveList(ids(7)), { from: '4' }).visits)).toEqual(['e5', 'e6', 'e7']);
  });

  it('has asked for the next page when it hands one over', async () => {
    const { visits, asked } = walk(serveList(ids(6)));
    await visits.next();
    expect(asked).toEqual([null, '3']);
    await visits.next();
    expect(asked).toEqual([null, '3', '6']);
  });

  it('ends where the service names no cursor, which keeps the one before', async () => {
    const { visits, asked } = walk((cursor) => (cursor === null ? one('e1', 'c1') : one('e2', null)));
    expect((await visits.next()).value).toMatchObject({ next: 'c1', isEnd: false });
    expect((await visits.next()).value).toMatchObject({ next: 'c1', isEnd: true });
    expect((await visits.next()).done).toBe(true);
    expect(asked).toEqual([null, 'c1']);
  });

  it('goes on behind an empty page with a new cursor', async () => {
    const pages = { start: '>c1', c1: 'e1>c2', c2: '>c2' };
    expect(await all(walk(scripted(pagesOf(pages))).visits)).toEqual(['e1']);
  });

  it('ends after a hundred empty pages, each with a cursor of its own', async () => {
    const { visits, asked } = walk((cursor) => page([], String(Number(cursor) + 1)));
    expect(await all(visits)).toEqual([]);
    expect(asked).toHaveLength(100);
  });

  it.each([
    ['back to the start of the walk', { c0: 'c1', c1: 'c2', c2: 'c0' }],
    ['back to the middle', { c0: 'c1', c1: 'c2', c2: 'c1' }],
  ])('ends with an error for cursors that lead %s, after every page once', async (_, next) => {
    const after = (cursor: string | null) => (next as Record<string, string>)[cursor!]!;
    const { visits } = walk((cursor) => one(`e-${cursor}`, after(cursor)), { from: 'c0' });
    const found: string[] = [];
    const message = expect.stringContaining('repeat') as string;
    await expect(all(visits, found)).rejects.toMatchObject({ kind: 'defect', message });
    expect(found).toEqual(['e-c0', 'e-c1', 'e-c2']);
  });

  it('rejects with what the fetch rejects with, after the pages before it', async () => {
    const { visits } = walk((cursor) => {
      if (cursor !== null) throw new Error('no');
      return one('e1', 'c1');
    });
    expect((await visits.next()).value).toMatchObject({ next: 'c1' });
    await expect(visits.next()).rejects.toThrow('no');
  });

  it('leaves no rejection behind where nobody asks for the page any more', async () => {
    const { visits } = walk((cursor) => {
      if (cursor !== null) throw new Error('unheard');
      return one('e1', 'c1');
    });
    await visits.next();
    await visits.return();
    await settled();
  });
});

type Texts = Readonly<Record<string, string>>;

/** `1 2>a | 2 3>` means two pages: ids 1 and 2 with the cursor a, then ids 2 and 3 without a cursor. */
const pagesOf = (texts: Texts) => {
  const read = (page: string): Scripted => [page.split('>')[0]!, page.split('>')[1]! || null];
  return Object.fromEntries(Object.entries(texts).map(([at, text]) => [at, text.split(' | ').map(read)]));
};

const STANDING: readonly [string, pages: Texts, end: 'end' | 'stuck', found: string, from?: Setup][] = [
  ['begins with the last event again', { start: '1 2>a', a: '2>a' }, 'end', '1 2'],
  ['is the last page again', { start: '1>a', a: '2 3>b', b: '2 3>b' }, 'end', '1 2 3'],
  ['holds more than the last page', { start: '1>a', a: '2>b', b: '1 2>b' }, 'end', '1 2'],
  ['is an earlier page', { start: '1>a', a: '2>b', b: '1>b' }, 'end', '1 2'],
  ['is new', { start: '1>a', a: '2 3>a' }, 'stuck', '1 2 3'],
  ['is a new one among others', { start: '1 2>a', a: '2 3>a' }, 'stuck', '1 2 3'],
  ['is new, and more comes at the second time', { start: '1>a', a: '2>a | 2 3>a' }, 'stuck', '1 2 3'],
  ['is new, and empty at the second time', { start: '1>a', a: '2>a | >a' }, 'stuck', '1 2'],
  ['is new, and old at the second time', { start: '1>a', a: '2>a | 1>a' }, 'stuck', '1 2'],
  ['is new, and then leads on', { start: '1>a', a: '2>a | 2 3>b', b: '>b' }, 'end', '1 2 3'],
  ['is new, and then names no cursor', { start: '1>a', a: '2>a | 2 3>' }, 'end', '1 2 3'],
  ['was read before a restart', { b: '2>b' }, 'end', '', { from: 'b', last: '2' }],
  ['was read before a restart, and more', { b: '1 2>b' }, 'end', '', { from: 'b', last: '2' }],
  ['is new after a restart', { b: '2 3>b' }, 'stuck', '3', { from: 'b', last: '2' }],
  ['is all that is known after a restart', { b: '3>b' }, 'stuck', '3', { from: 'b', last: '2' }],
  ['stands where nothing is known', { b: '2>b' }, 'stuck', '2', { from: 'b' }],
];

describe('a page whose cursor stands still', () => {
  it.each(STANDING)('and that %s', async (_what, pages, end, ids, from = {}) => {
    const { visits, asked } = walk(scripted(pagesOf(pages)), from);
    const found: string[] = [];
    const codeOf = (error: unknown) => (error as { facts?: { code?: string } }).facts?.code;
    const ended = await all(visits, found).then(() => 'end', codeOf);
    expect([ended, found.join(' ')]).toEqual([end === 'end' ? 'end' : 'feed_unreadable', ids]);
    if (end === 'stuck') expect(asked.at(-1)).toBe(asked.at(-2));
  });

  it('and pages that are read before, each with a new cursor, do not go on for ever', async () => {
    const { visits, asked } = walk((cursor) => one('1', String(Number(cursor) + 1)));
    await expect(all(visits)).rejects.toMatchObject({ facts: { code: 'feed_unreadable' } });
    expect(asked.length).toBeLessThan(110);
  });

  it('is told of once by a walk that follows, which asks again, and again where the next one stands', async () => {
    const pages = { start: '1>a', a: '2>a | 2>a | 2>a | 2 3>b', b: '>b | 4>b | 4>b | 4 5>c', c: '>c' };
    const { visits, clock, stuck, stop } = walk(scripted(pagesOf(pages)), { follows: true });
    const found: string[] = [];
    const following = all(visits, found);
    const told: number[] = [];
    for (let at = 0; at < 6; at += 1) {
      await settled();
      told.push(stuck.length);
      await clock.advance(2000);
    }
    expect([found.join(' '), told]).toEqual(['1 2 3 4 5', [1, 1, 1, 2, 2, 2]]);
    stop.abort(new Error('stopped'));
    await expect(following).rejects.toThrow('stopped');
  });
});

describe('following', () => {
  it('asks again after the interval, and hands over what is new', async () => {
    const events = ids(2);
    const { visits, clock, asked, stop } = walk((cursor) => serveList(events)(cursor), { follows: true });
    const found: string[] = [];
    const following = all(visits, found);
    await settled();
    expect(found).toEqual(['e1', 'e2']);
    expect(asked).toEqual([null, '2']);
    await clock.advance(1999);
    expect(asked).toHaveLength(2);
    events.push('e3');
    await clock.advance(1);
    expect(found).toEqual(['e1', 'e2', 'e3']);
    stop.abort(new Error('stopped'));
    await expect(following).rejects.toThrow('stopped');
  });

  it('stops between two pages where it is told to', async () => {
    const { visits, stop } = walk(serveList(ids(9)), { follows: true });
    await visits.next();
    stop.abort(new Error('stopped'));
    await expect(visits.next()).rejects.toThrow('stopped');
  });

  it('notices a circle that begins after the end was reached', async () => {
    let later = false;
    const serve: Serve = (cursor) => {
      if (!later) return page([], cursor ?? 'c0');
      return one(`e-${cursor}`, cursor === 'c0' ? 'c1' : 'c0');
    };
    const { visits, clock } = walk(serve, { follows: true });
    const following = all(visits);
    following.catch(() => undefined);
    await settled();
    later = true;
    await clock.advance(2000);
    await expect(following).rejects.toThrow('repeat');
  });
});
