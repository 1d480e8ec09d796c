import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import { memoryRow, paired, spread } from '../measure.js';
import { fastServer, timedRun, writePayroll } from '../payroll.js';

export const title = 'The mirror of the feed';
export const note =
  '1,000,000 operations from a local server, 200 a page, each page one commit, start included; the second reading begins 48 hours ' +
  'before the newest event (100,000). Lookups in blocks of a thousand, in no order. Last, 1,000,000 payouts are planned beside a full ' +
  'mirror, as a multiple of the same beside an empty one.';

const EVENTS = 1_000_000;
const RUNS = 1;

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {{ seconds: number, megabytes: number }} Taken */

/** @param {Stage} stage */
export async function* run(stage) {
  const server = await fastServer(stage, EVENTS);
  const { url } = server;
  const lookups = await lookupProgram(stage);
  /** @type {{ first: Taken[], second: Taken[], known: number[], unknown: number[], ids: number[], memory: number[] }} */
  const taken = { first: [], second: [], known: [], unknown: [], ids: [], memory: [] };
  let synced = stage.environment();
  for (let round = 0; round < RUNS; round += 1) {
    const env = stage.environment({ SVC_BASE_URL: url, SVC_API_KEY: 'svc_test_benchmark' });
    taken.first.push(timed([stage.svc, 'events', 'sync', '--quiet', '--json'], env));
    taken.second.push(timed([stage.svc, 'events', 'sync', '--quiet', '--json'], env));
    synced = env;
    const file = join(String(env['HOME']), '.local/state/svc/feed.db');
    for (const what of /** @type {const} */ (['known', 'unknown', 'ids'])) {
      const { seconds, megabytes } = timed([lookups, file, what, String(EVENTS)], env);
      taken[what].push(seconds);
      taken.memory.push(megabytes);
    }
  }
  const { first, second, known, unknown, ids, memory } = taken;
  yield row(
    'events read into the mirror',
    'a second',
    { atLeast: 50_000 },
    first.map(({ seconds }) => EVENTS / seconds),
  );
  yield memoryRow(first.map(({ megabytes }) => megabytes));
  yield row(
    'the second reading',
    's',
    undefined,
    second.map(({ seconds }) => seconds),
    1,
  );
  yield memoryRow(second.map(({ megabytes }) => megabytes));
  yield row('1,000,000 references looked up, all of them known', 's', { atMost: 10 }, known, 1);
  yield row('the same, none of them known', 's', { atMost: 5 }, unknown, 1);
  yield row('1,000,000 ids looked up, all of them known', 's', { atMost: 10 }, ids, 1);
  yield row('memory of lookups', 'MB', { atMost: 150 }, memory);
  yield* found(stage, synced);
  yield* planned(stage, url);
  await server.stop();
}

/** @param {Stage} stage @param {NodeJS.ProcessEnv} env */
async function* found(stage, env) {
  const find = (/** @type {string} */ text) => ['operations', 'find', '--offline', '--quiet', '--json', text];
  const words = find('order-0500000');
  const { seconds } = timed([stage.svc, ...words], env);
  yield row('`svc operations find`, the first one: all is indexed', 's', undefined, [seconds], 1);
  /** @type {{ operations: { id: string }[] }} */
  const { operations } = JSON.parse(stage.once(words, env));
  const id = operations[0]?.id ?? '';
  const subject = { command: process.execPath, env, atMost: 4 };
  yield paired({ ...subject, what: 'the next one, by a reference', args: [stage.svc, ...words] });
  yield paired({ ...subject, what: 'the same by an id', args: [stage.svc, ...find(id)] });
  yield paired({
    ...subject,
    what: 'the same by the beginning of one',
    args: [stage.svc, ...find(id.slice(0, 9))],
  });
}

/** @param {Stage} stage @param {string} url */
async function* planned(stage, url) {
  const empty = await fastServer(stage);
  const [fresh, again] = [join(stage.folder, 'fresh.csv'), join(stage.folder, 'again.csv')];
  await writePayroll(fresh, EVENTS);
  await writePayroll(again, EVENTS, (index) => `order-${String(index).padStart(7, '0')}`);
  /** @type {{ fresh: number[], again: number[], memory: number[] }} */
  const taken = { fresh: [], again: [], memory: [] };
  for (let round = 0; round < RUNS; round += 1) {
    const key = 'svc_test_benchmark';
    const without = stage.environment({ SVC_BASE_URL: empty.url, SVC_API_KEY: key });
    const beside = stage.environment({ SVC_BASE_URL: url, SVC_API_KEY: key });
    stage.once(['events', 'sync', '--quiet', '--json'], beside);
    const plan = ['payouts', 'batch', '--dry-run', '--skip-feed-check'];
    const alone = timedRun(stage, without, [...plan, fresh]);
    const others = timedRun(stage, beside, [...plan, fresh]);
    const these = timedRun(stage, beside, [...plan, again, '--new-since', '2026-10-01T00:00:00Z']);
    taken.fresh.push(others.seconds / alone.seconds);
    taken.again.push(these.seconds / alone.seconds);
    taken.memory.push(others.megabytes, these.megabytes);
  }
  yield row(
    '1,000,000 rows planned beside a mirror of as many others',
    'times',
    { atMost: 1.3 },
    taken.fresh,
    2,
  );
  yield row('the same, all of them known there from before --new-since', 'times', undefined, taken.again, 2);
  yield row('memory of both plans', 'MB', { atMost: 150 }, taken.memory);
  await empty.stop();
}

/** @param {string} what @param {string} unit @param {import('../measure.js').Row['goal']} goal @param {number[]} values */
function row(what, unit, goal, values, digits = 0) {
  return { what, unit, ...(goal === undefined ? {} : { goal }), ...spread(values, digits) };
}

/** @param {string[]} args @param {NodeJS.ProcessEnv} env @returns {Taken} */
function timed(args, env) {
  const { status, stderr } = spawnSync('/usr/bin/time', ['-f', '%e %M', process.execPath, ...args], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}:\n${stderr}`);
  const [seconds = 0, kilobytes = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return { seconds, megabytes: (kilobytes * 1024) / 1e6 };
}

/** @param {Stage} stage */
async function lookupProgram(stage) {
  const outfile = join(stage.folder, 'lookups.mjs');
  await build({
    stdin: { contents: LOOKUPS, resolveDir: join(import.meta.dirname, '../../..'), loader: 'js' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
  });
  return outfile;
}

const LOOKUPS = `
import { DatabaseSync } from 'node:sqlite';
import { openMirrors } from './src/storage/mirror/sqlite-mirrors.js';
import { streamInLittleMemory } from './src/runtime/memory.js';
streamInLittleMemory();
const [, , file, what, count] = process.argv;
const total = Number(count);
const db = new DatabaseSync(file, { readOnly: true });
const { id } = db.prepare('SELECT id FROM companies').get();
const idAt = db.prepare('SELECT id FROM operations WHERE row = ?');
const mirrors = openMirrors(file, { uuid: () => '' });
const mirror = mirrors.of({ id, environment: 'sandbox' });
// Each index comes once, in an irregular order.
const at = (index) => (index * 7919) % total;
const texts = {
  known: (index) => 'order-' + String(at(index)).padStart(7, '0'),
  unknown: (index) => 'nomina-' + String(at(index)).padStart(7, '0'),
  ids: (index) => idAt.get(at(index) + 1).id,
};
let found = 0;
for (let begin = 0; begin < total; begin += 1000) {
  const block = Array.from({ length: 1000 }, (_, index) => texts[what](begin + index));
  found += (what === 'ids' ? await mirror.ofIds(block) : await mirror.ofReferences('payout', block)).size;
}
if (found !== (what === 'unknown' ? 0 : total)) throw new Error('found ' + String(found));
`;
