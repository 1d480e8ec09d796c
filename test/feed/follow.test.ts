import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { follow, type Sink } from '../../src/feed/follow.js';
import { START, walkFeed } from '../../src/feed/walk.js';
import { Progress } from '../../src/feed/commit-position.js';
import { ids, pageOfIds, serveList, type Serve } from './feed.js';
import { manualClock, settled } from './manual-clock.js';
import type { Position } from '../../src/storage/checkpoints/checkpoint.js';

interface Run {
  readonly from?: Position;
  readonly sink?: Sink;
  readonly eventsMax?: number;
  readonly onCommit?: (position: Position) => void;
  readonly selects?: (id: string) => boolean;
  readonly follows?: boolean;
}

function run(serve: Serve, options: Run = {}) {
  const { from = START, eventsMax, onCommit, selects, follows = false } = options;
  const clock = manualClock();
  const stop = new AbortController();
  const commits: Position[] = [];
  const accepted: string[] = [];
  const commit = (position: Position): void => {
    onCommit?.(position);
    commits.push(position);
  };
  const progress = new Progress({ from, commit, clock, ...(eventsMax === undefined ? {} : { eventsMax }) });
  const oneByOne: Sink = async (_page, events, accept) => {
    for (const event of events) {
      await Promise.resolve();
      accepted.push(event.id);
      await accept([event]);
    }
  };
  const visits = walkFeed({
    fetch: (cursor) => Promise.resolve(serve(cursor)),
    ...{ from: from.cursor, follows, intervalMs: 1000, clock, signal: stop.signal },
  });
  const { sink = oneByOne } = options;
  const chosen = selects === undefined ? null : (_page: unknown, { id }: { id: string }) => selects(id);
  const done = follow({ visits, progress, sink, selects: chosen });
  return { done, commits, accepted, clock, stop };
}

describe('following the feed', () => {
  it('commits the end of the feed, and resumes there', async () => {
    const first = run(serveList(ids(7)));
    expect(await first.done).toBe(7);
    expect(first.commits.at(-1)).toEqual({ cursor: '7', ids: [], last: 'e7' });
    const second = run(serveList(ids(9)), { from: first.commits.at(-1)! });
    await second.done;
    expect(second.accepted).toEqual(['e8', 'e9']);
  });

  it('keeps the last good cursor where there is none, and what was accepted behind it', async () => {
    const rest = pageOfIds(['e2', 'e3'], null);
    const serve: Serve = (cursor) => (cursor === null ? pageOfIds(['e1'], 'c1') : rest);
    const first = run(serve);
    await first.done;
    expect(first.commits.at(-1)).toEqual({ cursor: 'c1', ids: ['e2', 'e3'], last: 'e1' });
    const second = run(serve, { from: first.commits.at(-1)! });
    await second.done;
    expect(second.accepted).toEqual([]);
  });

  it('hands each event over once where the service never names a cursor', async () => {
    const events = ids(2);
    const serve: Serve = () => pageOfIds(events, null);
    const { accepted, clock, stop, done } = run(serve, { follows: true });
    await settled();
    events.push('e3');
    await clock.advance(1000);
    expect(accepted).toEqual(['e1', 'e2', 'e3']);
    stop.abort(new Error('stopped'));
    await expect(done).rejects.toThrow('stopped');
  });

  it('commits the events before the one that was not accepted, and nothing behind', async () => {
    const sink: Sink = async (_page, events, accept) => {
      for (const event of events) {
        if (event.id === 'e5') throw new Error('refused');
        await accept([event]);
      }
    };
    const { done, commits } = run(serveList(ids(9)), { sink });
    await expect(done).rejects.toThrow('refused');
    expect(commits.at(-1)).toEqual({ cursor: '3', ids: ['e4'], last: 'e3' });
  });

  it('commits nothing of a page that was not handed over whole', async () => {
    let pages = 0;
    const sink: Sink = async (_page, events, accept) => {
      pages += 1;
      if (pages === 2) throw new Error('the reader went away');
      await accept(events);
    };
    const { done, commits } = run(serveList(ids(9)), { sink });
    await expect(done).rejects.toThrow('went away');
    expect(commits.at(-1)).toEqual({ cursor: '3', ids: [], last: 'e3' });
  });

  it('counts events that are not wanted as accepted', async () => {
    const selects = (id: string): boolean => id === 'e2' || id === 'e6';
    const { done, accepted, commits } = run(serveList(ids(7)), { selects });
    expect(await done).toBe(2);
    expect(accepted).toEqual(['e2', 'e6']);
    expect(commits.at(-1)).toEqual({ cursor: '7', ids: [], last: 'e7' });
  });

  it('advances past an empty page', async () => {
    const { done, commits } = run(() => pageOfIds([], 'c1'));
    await done;
    expect(commits).toEqual([{ cursor: 'c1', ids: [], last: null }]);
  });

  it.each([
    ['every hundred events, and at the end', 250, 200, undefined, 'null+100 200+0 250+0'],
    ['after each event where that is asked for', 3, 3, 1, 'null+1 null+2 3+0'],
  ])('commits %s', async (_what, count, limit, eventsMax, expected) => {
    const { done, commits } = run(serveList(ids(count), limit), eventsMax === undefined ? {} : { eventsMax });
    await done;
    const said = commits.map(({ cursor, ids: { length } }) => `${String(cursor)}+${length}`);
    expect(said.join(' ')).toBe(expected);
  });

  it('commits after a second, while the next event is in hand', async () => {
    const sink: Sink = async (_page, [first], accept) => {
      await accept([first!]);
      return new Promise(() => undefined);
    };
    const { commits, clock } = run(serveList(ids(3)), { sink });
    await settled();
    await clock.advance(999);
    expect(commits).toEqual([]);
    await clock.advance(1);
    expect(commits).toEqual([{ cursor: null, ids: ['e1'] }]);
  });

  it('ends where a commit fails, the late ones of the timer too', async () => {
    const full = new Error('the disk is full');
    let isFull = true;
    const onCommit = (): void => {
      if (isFull) throw full;
    };
    await expect(run(serveList(ids(3)), { onCommit }).done).rejects.toBe(full);
    let go: () => void = () => undefined;
    const sink: Sink = async (_page, events, accept) => {
      await accept(events.slice(0, 1));
      await new Promise<void>((resolve) => (go = resolve));
      await accept(events.slice(1, 2));
    };
    const late = run(serveList(ids(3)), { sink, onCommit });
    late.done.catch(() => undefined);
    await settled();
    await late.clock.advance(1000);
    isFull = false;
    go();
    await expect(late.done).rejects.toBe(full);
  });
});

async function killedRuns(kills: readonly number[], total: number, commitFirst: boolean) {
  const runs: string[][] = [];
  let durable: Position = START;
  for (const kill of [...kills, Infinity]) {
    const handed: string[] = [];
    runs.push(handed);
    let steps = 0;
    const died = new Error('killed');
    const step = (): void => {
      steps += 1;
      if (steps > kill) throw died;
    };
    const sink: Sink = async (_page, events, accept) => {
      for (const event of events) {
        await Promise.resolve();
        if (commitFirst) await accept([event]);
        step();
        handed.push(event.id);
        step();
        if (!commitFirst) await accept([event]);
      }
    };
    const onCommit = (position: Position): void => {
      if (steps > kill) throw died;
      step();
      durable = position;
    };
    const { done } = run(serveList(ids(total), 7), { from: durable, sink, onCommit, eventsMax: 4 });
    await done.catch((error: unknown) => {
      if (error !== died) throw error;
    });
  }
  return runs;
}

function judge(runs: readonly (readonly string[])[], total: number) {
  const numbers = runs.map((run) => run.map((id) => Number(id.slice(1))));
  const seen = new Set(numbers.flat());
  return {
    gaps: ids(total).filter((_, index) => !seen.has(index + 1)).length,
    jumps: numbers.flatMap((run) => run.slice(1).filter((value, index) => value !== run[index]! + 1)).length,
    repeatsMost: Math.max(...numbers.map((run, at) => overlap(numbers.slice(0, at).flat(), run))),
  };
}

function overlap(before: readonly number[], run: readonly number[]): number {
  const most = Math.max(0, ...before);
  return run.filter((value) => value <= most).length;
}

describe('killed at any point', () => {
  const kills = fc.array(fc.nat(40), { maxLength: 12 });

  it('leaves no gap, keeps the order, and repeats at most what was in hand', async () => {
    const totals = fc.integer({ min: 1, max: 60 });
    const property = fc.asyncProperty(kills, totals, async (points, total) => {
      const found = judge(await killedRuns(points, total, false), total);
      expect(found).toMatchObject({ gaps: 0, jumps: 0 });
      expect(found.repeatsMost).toBeLessThanOrEqual(5);
    });
    await fc.assert(property, { numRuns: 200 });
  });

  it('the control: committing first loses events, and the same harness sees it', async () => {
    const found = judge(await killedRuns([7, 7, 7], 40, true), 40);
    expect(found.gaps).toBeGreaterThan(0);
  });
});
