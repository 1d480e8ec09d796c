import { expect, it } from 'vitest';
import { follow, type Sink } from '../../../src/feed/follow.js';
import { Progress } from '../../../src/feed/commit-position.js';
import { judge } from '../../../src/events/service/follower-state.js';
import { START, walkFeed } from '../../../src/feed/walk.js';
import { Seeded } from '../../support/seeded.js';
import { eventJson, page } from '../../feed/feed.js';
import { settled } from '../../feed/manual-clock.js';
import { watched } from './watched.js';

const STEP_MS = 1000;
const LOOK_MS = 2000;
const MAX_MS = 60_000;
const PAGE = 4;
const SLACK_MS = LOOK_MS + 2 * STEP_MS;

interface World {
  readonly happened: number[];
  accepted: number;
  isAway: boolean;
  isStuck: boolean;
}

function run(world: World) {
  const { clock, standing, watch } = watched();
  const stopping = new AbortController();
  const fetch = watch.source(async (cursor, signal) => {
    while (world.isAway) await clock.sleep(STEP_MS / 2, signal);
    const from = Number(cursor ?? 0);
    const part = world.happened
      .slice(from, from + PAGE)
      .map((atMs, at) =>
        eventJson(`e${String(from + at)}`).replace('2026-09-23T15:00:00Z', new Date(atMs).toISOString()),
      );
    return page(part, String(from + part.length));
  });
  const sink: Sink = async (_page, events, accept) => {
    for (const event of events) {
      while (world.isStuck) await clock.sleep(STEP_MS / 2, stopping.signal);
      world.accepted += 1;
      await accept([event]);
    }
  };
  const visits = walkFeed({
    ...{ fetch, from: null, follows: true, intervalMs: LOOK_MS, clock, signal: stopping.signal },
  });
  const progress = new Progress({ from: START, commit: watch.save(() => undefined), clock });
  follow({ visits: watch.visits(visits), progress, sink: watch.sink(sink) }).catch(() => undefined);
  return { clock, standing, stop: () => stopping.abort(new Error('stopped')) };
}

it.each(Array.from({ length: 20 }, (_, seed) => seed))('run %i', async (seed) => {
  const random = new Seeded(seed);
  const chance = (share: number): boolean => random.chance(share);
  const world: World = { happened: [], accepted: 0, isAway: false, isStuck: false };
  const { clock, standing, stop } = run(world);
  let undisturbedMs = 0;
  let reds = 0;
  for (let step = 0; step < 400; step += 1) {
    if (chance(0.02)) world.isAway = !world.isAway;
    if (chance(0.02)) world.isStuck = !world.isStuck;
    const isQuiet = step % 200 > 150;
    if (!isQuiet && chance(0.3)) for (let more = 0; more < 3; more += 1) world.happened.push(clock.now());
    await clock.advance(STEP_MS / 2);
    await clock.advance(STEP_MS / 2);
    for (let turn = 0; turn < 12; turn += 1) await settled();
    const facts = standing.facts();
    const first = world.happened[world.accepted];
    const behindMs = first === undefined ? 0 : clock.now() - first;
    if (facts.hasBegun) expect(facts.lagMs, `step ${String(step)}`).toBeGreaterThanOrEqual(behindMs);
    if (behindMs >= MAX_MS) expect(judge(facts, MAX_MS).health).not.toBe('ok');
    undisturbedMs = world.isAway || world.isStuck || behindMs > 0 ? 0 : undisturbedMs + STEP_MS;
    if (undisturbedMs > SLACK_MS) expect(facts.lagMs).toBeLessThanOrEqual(SLACK_MS);
    if (judge(facts, MAX_MS).health !== 'ok') reds += 1;
  }
  stop();
  expect(reds).toBeLessThan(400);
});
