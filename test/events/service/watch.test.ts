import { expect, it } from 'vitest';
import { follow, type Sink } from '../../../src/feed/follow.js';
import { Progress } from '../../../src/feed/commit-position.js';
import { judge } from '../../../src/events/service/follower-state.js';
import { START, walkFeed } from '../../../src/feed/walk.js';
import { ids, serveList } from '../../feed/feed.js';
import { settled } from '../../feed/manual-clock.js';
import { watched } from './watched.js';

const MAX_MS = 60_000;
const LOOK_MS = 2000;

function running(list: string[], sink: Sink, save: () => Promise<void> = () => Promise.resolve()) {
  const told: string[] = [];
  const { clock, standing, watch } = watched((what) => void told.push(what));
  const stopping = new AbortController();
  const serve = serveList(list);
  const at = { isAway: false };
  const fetch = watch.source(async (cursor, signal) => {
    while (at.isAway) await clock.sleep(1000, signal);
    return serve(cursor);
  });
  const visits = walkFeed({
    ...{ fetch, from: null, follows: true, intervalMs: LOOK_MS, clock, signal: stopping.signal },
  });
  const progress = new Progress({ from: START, commit: watch.save(save), clock });
  const ended = follow({ visits: watch.visits(visits), progress, sink: watch.sink(sink) });
  ended.catch(() => undefined);
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 1000) await clock.advance(1000);
    await settled();
  };
  return {
    ...{ at, told, pass, standing },
    health: () => judge(standing.facts(), MAX_MS).health,
    stop: () => stopping.abort(new Error('stopped')),
  };
}

const accepts: Sink = async (_page, events, accept) => {
  for (const event of events) await accept([event]);
};
const never: Sink = () => new Promise(() => undefined);

it('an idle run at the end of the feed makes progress as long as it is answered, and none when it is not', async () => {
  const { health, told, pass, at, stop } = running(ids(5), accepts);
  await pass(10 * MAX_MS);
  expect(health()).toBe('ok');
  const before = told.filter((what) => what === 'progress').length;
  await pass(10 * LOOK_MS);
  expect(told.filter((what) => what === 'progress').length).toBeGreaterThanOrEqual(before + 9);
  at.isAway = true;
  await pass(LOOK_MS);
  told.length = 0;
  await pass(MAX_MS);
  expect([health(), told]).toEqual(['unreachable', []]);
  at.isAway = false;
  await pass(2 * LOOK_MS);
  expect([health(), told.includes('progress')]).toEqual(['ok', true]);
  stop();
});

it('a sink that hangs is no progress, whatever else goes on', async () => {
  const list: string[] = [];
  const { health, told, pass, stop } = running(list, never);
  await pass(5 * MAX_MS);
  expect(health()).toBe('ok');
  list.push('e1');
  await pass(LOOK_MS);
  told.length = 0;
  list.push(...ids(50, 2));
  await pass(MAX_MS);
  expect([health(), told]).toEqual(['not_accepted', []]);
  stop();
});

it('a place that can not be kept is seen though the sink hangs behind it', async () => {
  let handed = 0;
  const second: Sink = async (page, events, accept) => {
    handed += 1;
    if (handed > 1) return never(page, events, accept);
    await accept(events.slice(0, 1));
    return never(page, events, accept);
  };
  const { health, pass, stop } = running(ids(3), second, () => Promise.reject(new Error('the disk is full')));
  expect(health()).toBe('starting');
  await pass(5000);
  expect(health()).toBe('checkpoint');
  stop();
});

it('what is on its way to a database is not kept before it is there, though the next page is read', async () => {
  const { clock, place, watch } = watched();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  place.onAccepted();
  await watch.save(
    () => undefined,
    () => promise,
  )(START);
  await clock.advance(MAX_MS);
  expect(place.facts()).toMatchObject({ ageMs: MAX_MS, savedAtMs: null });
  resolve(undefined);
  await settled();
  expect(place.facts()).toMatchObject({ ageMs: 0, savedAtMs: MAX_MS });
});

it('passes on what fails, and every event', async () => {
  const seen: string[] = [];
  const collects: Sink = async (_page, events, accept) => {
    seen.push(...events.map(({ id }) => id));
    await accept(events);
  };
  const { pass, standing, stop } = running(ids(10), collects);
  await pass(LOOK_MS);
  expect(seen).toEqual(ids(10));
  const facts = { accepted: 10, lagEvents: 0, firstWaiting: null, checkpoint: { ageMs: 0 } };
  expect(standing.facts()).toMatchObject(facts);
  stop();
});

it('a place that does not become durable is not kept, and that is told', async () => {
  const told: string[] = [];
  const { watch, place } = watched((what) => void told.push(what));
  const durable = (): Promise<void> => Promise.reject(new Error('its disk is full'));
  await watch.save(() => undefined, durable)({ cursor: 'c', ids: [] });
  await settled();
  expect([place.facts()?.hasFailed, told]).toEqual([true, ['change']]);
});
