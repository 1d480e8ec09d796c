/** `npm run test:soak` makes 200 kills over 5,000 events, and every other run makes a few. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { recordFigures } from '../figures.js';
import { COMMITS_FIRST, programOf } from '../requests/program.js';
import { environment } from '../../support/program.js';
import { testFolder } from '../../support/test-folder.js';
import { startFeed, type FeedServer, type FeedShape } from './feed-server.js';

function portion(kill: number, shape: FeedShape): number {
  // A fixed walk through all phases of a page, so that a failed run can be repeated.
  return Math.floor(((kill * 0.618) % 1) * 1.5 * shape.pageEvents * shape.eventBytes);
}

async function killFollowers(program: string, kills: number, shape: FeedShape) {
  const home = testFolder();
  const feed = await startFeed(shape);
  try {
    const runs: number[][] = [];
    let killed = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const run = await follow(program, home, feed, portion(kill, shape));
      if (run.signal === 'SIGKILL') killed += 1;
      runs.push(run.numbers);
    }
    const last = await follow(program, home, feed, Infinity);
    runs.push(last.numbers);
    return { ...judge(runs, shape.events), killed, exitCode: last.exitCode };
  } finally {
    await feed.stop();
  }
}

async function follow(program: string, home: string, feed: FeedServer, bytes: number) {
  const args = [program, 'events', 'tail', '--no-follow', '--quiet', '--checkpoint', 'soak'];
  const child = spawn(process.execPath, args, {
    env: environment(home, feed.env),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const chunks: Buffer[] = [];
  let taken = 0;
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    taken += chunk.length;
    if (taken > bytes) child.kill('SIGKILL');
  }
  const [exitCode, signal] = await ended;
  const lines = Buffer.concat(chunks).toString('latin1').split('\n').slice(0, -1);
  return { numbers: lines.map((line) => Number(/^\{"id":"e(\d+)"/.exec(line)?.[1])), exitCode, signal };
}

function judge(runs: readonly (readonly number[])[], total: number) {
  const seen = new Set<number>();
  let repeatsMost = 0;
  let outOfOrder = 0;
  for (const run of runs) {
    repeatsMost = Math.max(repeatsMost, run.filter((number) => seen.has(number)).length);
    for (const [index, number] of run.entries()) {
      if (index > 0 && number !== (run[index - 1] ?? NaN) + 1) outOfOrder += 1;
      seen.add(number);
    }
  }
  return { missing: total - seen.size, outOfOrder, repeatsMost };
}

const IS_SOAK = process.env['SOAK'] !== undefined;
const KILLS = IS_SOAK ? 200 : 4;
/** A page is larger than a pipe can take, so a kill meets a half-written page. */
const SHAPE = IS_SOAK
  ? { events: 5000, pageEvents: 40, eventBytes: 10_000 }
  : { events: 600, pageEvents: 100, eventBytes: 5000 };
const TRIES = 8;
const LIMIT = { timeout: 600_000 };
const IN_HAND = Math.max(100, SHAPE.pageEvents) + SHAPE.pageEvents;

function record(run: string, events: number, report: Awaited<ReturnType<typeof killFollowers>>): void {
  const counts = {
    'events in the feed': events,
    'runs killed': report.killed,
    'events lost': report.missing,
    'events out of order': report.outOfOrder,
    'events repeated by one run, at most': report.repeatsMost,
  };
  recordFigures({ suite: 'Following the feed, killed', run, counts });
}

describe('kill -9 of a follower', () => {
  it(
    `${String(KILLS)} times: no gap, no disorder, and at most what was in hand comes again`,
    LIMIT,
    async () => {
      const all = await killFollowers(await programOf(), KILLS, SHAPE);
      const { repeatsMost, killed, ...report } = all;
      expect(report).toEqual({ missing: 0, outOfOrder: 0, exitCode: 0 });
      expect(repeatsMost).toBeLessThanOrEqual(IN_HAND);
      expect(killed).toBeGreaterThanOrEqual(KILLS / 4);
      record('kills', SHAPE.events, all);
    },
  );

  it('the harness sees a follower that commits first', LIMIT, async () => {
    const few = { events: 600, pageEvents: 100, eventBytes: 5000 };
    const program = await programOf(COMMITS_FIRST);
    let report = await killFollowers(program, 3, few);
    for (let left = TRIES; report.missing === 0 && left > 0; left -= 1)
      report = await killFollowers(program, 3, few);
    expect(report.missing).toBeGreaterThan(0);
    record('control: commits before it hands over', few.events, report);
  });
});

it.each([
  ['12 34', { missing: 0, outOfOrder: 0, repeatsMost: 0 }],
  ['12 234', { missing: 0, outOfOrder: 0, repeatsMost: 1 }],
  ['12 4', { missing: 1, outOfOrder: 0, repeatsMost: 0 }],
  ['1324', { missing: 0, outOfOrder: 3, repeatsMost: 0 }],
])('runs of %s are judged %j', (text, report) => {
  const runs = text.split(' ').map((run) => Array.from(run, Number));
  expect(judge(runs, 4)).toEqual(report);
});
