import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { memoryRow, spread } from '../measure.js';
import { fastServer } from '../payroll.js';

export const title = 'A ledger against the service';
export const note =
  'A CSV of 1,000,000 lines, in no order, against as many operations that this machine knows (`--offline`), by reference. Start and ' +
  'printing included.';

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {{ seconds: number, megabytes: number }} Taken */

const DIFFERS = 18;
const LINES = Number(process.env['BENCH_LINES'] ?? 1_000_000);
/** Prime to the number of lines, so that each line comes once. */
const STRIDE = 7919;

/** @param {Stage} stage */
export async function* run(stage) {
  const server = await fastServer(stage, LINES);
  const env = stage.environment({ SVC_BASE_URL: server.url, SVC_API_KEY: 'svc_test_benchmark' });
  stage.once(['events', 'sync', '--quiet', '--json'], env);
  await server.stop();
  const [same, other] = [join(stage.folder, 'same.csv'), join(stage.folder, 'other.csv')];
  await writeLedger(same, () => '1500.50');
  await writeLedger(other, (index) => (index % 10 === 0 ? '1500.00' : '1500.50'));
  const agreed = timed(stage, env, { words: [same], ends: 0 });
  yield row('all agree', { atMost: 20 }, agreed.seconds);
  yield memoryRow([agreed.megabytes]);
  const report = ['--report', join(stage.folder, 'report.html')];
  const differed = timed(stage, env, { words: [other, ...report], ends: DIFFERS });
  yield row('one line in ten has another amount, with a report', { atMost: 60 }, differed.seconds);
  yield memoryRow([differed.megabytes]);
}

/** @param {string} file @param {(index: number) => string} amountOf */
async function writeLedger(file, amountOf) {
  const stream = createWriteStream(file);
  stream.write('reference,amount,currency,name\n');
  for (let at = 0; at < LINES; at += 1) {
    const index = (at * STRIDE) % LINES;
    const line = `order-${String(index).padStart(7, '0')},${amountOf(index)},VES,Ana Pérez\n`;
    if (!stream.write(line)) await once(stream, 'drain');
  }
  await new Promise((resolve) => stream.end(resolve));
}

/**
 * @param {Stage} stage
 * @param {NodeJS.ProcessEnv} env
 * @param {{ words: string[], ends: number }} what
 * @returns {Taken}
 */
function timed(stage, env, { words, ends }) {
  const args = ['-f', '%e %M', process.execPath, stage.svc, 'reconcile', ...words];
  const { status, stderr } = spawnSync('/usr/bin/time', [...args, '--offline', '--quiet', '--json'], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== ends) throw new Error(`svc reconcile ended with ${status}:\n${stderr}`);
  const [seconds = 0, kilobytes = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return { seconds, megabytes: (kilobytes * 1024) / 1e6 };
}

/** @param {string} what @param {import('../measure.js').Row['goal']} goal @param {number} seconds */
function row(what, goal, seconds) {
  return { what, unit: 's', goal, ...spread([seconds], 1) };
}
