import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { memoryRow, spread } from '../measure.js';

export const title = 'A plan that others approve';
export const note =
  '`svc batches review` of 200,000 rows: every line held to its one spelling, rows and totals counted again, and compared with an ' +
  'earlier plan. Start and printing included.';

/** @typedef {import('../stage.js').Stage} Stage */

const N = 5;
const ROWS = Number(process.env['BENCH_ROWS'] ?? 200_000);

/** @param {Stage} stage */
export async function* run(stage) {
  const env = stage.environment();
  const [now, before] = [join(stage.folder, 'now.plan'), join(stage.folder, 'before.plan')];
  await writePlan(now, 0);
  await writePlan(before, 5);
  yield* measured(stage, env, { what: 'read and checked', words: [now], goal: { atMost: 3 } });
  yield* measured(stage, env, {
    what: 'held against an earlier one of as many rows',
    words: [now, '--against', before],
    goal: undefined,
  });
}

/**
 * @param {Stage} stage
 * @param {NodeJS.ProcessEnv} env
 * @param {{ what: string, words: string[], goal: import('../measure.js').Row['goal'] }} review
 */
function* measured(stage, env, { what, words, goal }) {
  const all = Array.from({ length: N }, () => timed(stage, env, words));
  const seconds = all.map((one) => one.seconds);
  const megabytes = all.map((one) => one.megabytes);
  yield { what, unit: 's', goal, ...spread(seconds, 1) };
  yield memoryRow(megabytes);
}

/** @param {string} file @param {number} moved */
async function writePlan(file, moved) {
  const stream = createWriteStream(file);
  let cents = 0;
  for (let at = 0; at < ROWS; at += 1) cents += centsOf(at);
  const head = {
    svc_plan: 1,
    environment: 'live',
    address: 'https://api.example.com',
    company: null,
    direction: 'payout',
    batch: 'payroll',
    since: null,
    rows: ROWS,
    totals: [{ currency: 'VES', rows: ROWS, total: amountOf(cents) }],
    left_out: 0,
    made_at: '2026-11-24T09:00:00Z',
    valid_until: '2026-11-27T09:00:00Z',
    maker: null,
  };
  stream.write(`${JSON.stringify(head)}\n`);
  for (let at = 0; at < ROWS; at += 1) {
    const body = {
      amount: amountOf(centsOf(at)),
      country: 'VE',
      currency: 'VES',
      method: 'mobile_payment',
      reference: `emp-${at}-2026-11`,
      beneficiary: {
        name: 'Nombre Apellido',
        document: { type: 'V', number: String(10_000_000 + at) },
        bank_code: '0102',
        account_number: `0412${String(at + moved).padStart(7, '0')}`,
      },
    };
    if (!stream.write(`${JSON.stringify(body)}\n`)) await once(stream, 'drain');
  }
  await new Promise((resolve) => stream.end(resolve));
}

/** @param {number} at */
function centsOf(at) {
  return 10_000 + ((at * 7) % 1000) * 100 + 50;
}

/** @param {number} cents */
function amountOf(cents) {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

/** @param {Stage} stage @param {NodeJS.ProcessEnv} env @param {string[]} words */
function timed(stage, env, words) {
  const args = ['-f', '%e %M', process.execPath, stage.svc, 'batches', 'review', ...words];
  const { status, stderr } = spawnSync('/usr/bin/time', [...args, '--json'], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`svc batches review ended with ${status}:\n${stderr}`);
  const [seconds = 0, kilobytes = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return { seconds, megabytes: (kilobytes * 1024) / 1e6 };
}
