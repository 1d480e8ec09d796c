import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryRow, spread } from '../measure.js';

export const title = 'Following the feed';
export const note =
  'From a local server, 200 events (110 KB) a page, start included. "Forwarded" events go one by one, signed, to a receiver in a third ' +
  'process, with a durable checkpoint.';

const EVENTS = 1_000_000;
const FORWARDED = 10_000;
const RUNS = 3;

/** @param {import('../stage.js').Stage} stage */
export async function* run(stage) {
  const feed = await serve(stage, 'feed.js', String(EVENTS));
  for (const to of /** @type {const} */ (['file', 'pipe'])) {
    const runs = await times(() => follow(stage, feed, to));
    yield {
      what: `events caught up with, to a ${to}`,
      unit: 'a second',
      goal: { atLeast: 200_000 },
      ...rates(runs, EVENTS),
    };
    // Only Linux reports the peak.
    const peaks = runs.flatMap(({ peakMb }) => (peakMb === null ? [] : [peakMb]));
    if (peaks.length === 0) continue;
    yield memoryRow(peaks);
  }
  const few = await serve(stage, 'feed.js', String(FORWARDED));
  const receiver = await serve(stage, 'receiver.js');
  const runs = await times(() => forward(stage, few, receiver));
  yield {
    what: 'events forwarded, durable checkpoint',
    unit: 'a second',
    goal: { atLeast: 2000 },
    ...rates(runs, FORWARDED),
  };
}

/** @typedef {{ takenMs: number, peakMb: number | null }} Run */

/** @param {() => Promise<Run>} work @returns {Promise<Run[]>} */
async function times(work) {
  const runs = [];
  for (let run = 0; run <= RUNS; run += 1) runs.push(await work());
  // The first run warms up.
  return runs.slice(1);
}

/** @param {Run[]} runs @param {number} count */
function rates(runs, count) {
  return spread(
    runs.map(({ takenMs }) => (count / takenMs) * 1000),
    0,
  );
}

/** @param {import('../stage.js').Stage} stage @param {string} feed @param {'file' | 'pipe'} to */
async function follow(stage, feed, to) {
  const target = to === 'file' ? openSync(join(stage.folder, 'events.ndjson'), 'w') : 'pipe';
  try {
    return await measured(stage, ['events', 'tail', '--no-follow', '--quiet'], feed, target);
  } finally {
    if (typeof target === 'number') closeSync(target);
  }
}

/** @param {import('../stage.js').Stage} stage @param {string} feed @param {string} receiver */
function forward(stage, feed, receiver) {
  const args = ['events', 'forward', '--to', receiver, '--no-follow', '--quiet', '--checkpoint', 'bench'];
  return measured(stage, args, feed, 'ignore');
}

/**
 * @param {import('../stage.js').Stage} stage
 * @param {string[]} args
 * @param {string} feed
 * @param {number | 'pipe' | 'ignore'} output
 * @returns {Promise<Run>}
 */
async function measured(stage, args, feed, output) {
  const env = stage.environment({ SVC_BASE_URL: feed, SVC_API_KEY: 'svc_test_benchmark' });
  const startedMs = performance.now();
  const child = stage.start([stage.svc, ...args], { env, stdio: ['ignore', output, 'inherit'] });
  child.stdout?.resume();
  let peakMb = /** @type {number | null} */ (null);
  const watch = setInterval(() => (peakMb = peakOf(child.pid) ?? peakMb), 50);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(watch);
  if (code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${code}`);
  return { takenMs: performance.now() - startedMs, peakMb };
}

/** @param {number | undefined} pid */
function peakOf(pid) {
  try {
    const [, kb] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kb === undefined ? null : Number(kb) / 1024;
  } catch {
    return null;
  }
}

/** @param {import('../stage.js').Stage} stage @param {string[]} args */
async function serve(stage, ...args) {
  const [name = '', ...rest] = args;
  const child = stage.start([join(import.meta.dirname, '..', name), ...rest], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise((resolve, reject) => {
    child.once('close', () => reject(new Error(`${name} ended before it was ready`)));
    child.stdout?.once('data', (chunk) => resolve(String(chunk).trim()));
  });
  return `http://127.0.0.1:${port}`;
}
