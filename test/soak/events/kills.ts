/** Kills a follower again and again while it hands events over, resumes it each time, and compares what arrived with the feed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { environment } from '../../support/program.js';
import { testFolder } from '../../support/test-folder.js';
import { startFeed, type FeedServer, type FeedShape } from './feed-server.js';

/** What a reader takes before the kill, in bytes: from nothing to some pages. */
function portion(kill: number, shape: FeedShape): number {
  // A fixed walk through all phases of a page, so that a failing run can be repeated.
  return Math.floor(((kill * 0.618) % 1) * 1.5 * shape.pageEvents * shape.eventBytes);
}

export type Report = Awaited<ReturnType<typeof killFollowers>>;

/** @param program the path of the program, or of a variant of it */
export async function killFollowers(program: string, kills: number, shape: FeedShape) {
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

/** One run, its reader as slow as a kill needs it; what is in the pipe when it dies has been handed over and is read. */
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

/** What a person would want to know of runs that resumed one another. */
export function judge(runs: readonly (readonly number[])[], total: number) {
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
