import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryRow, spread } from '../measure.js';
import { PAYOUT } from '../requests.js';
import { writeWorkbook } from '../workbook.js';
import { fastServer, timedRun, writePayroll } from '../payroll.js';

export const title = 'Bulk';
export const note =
  'A file of payouts over 16 connections to a server that only answers. Every row is durable before it leaves, every answer is ' +
  'recorded. The rate leaves the plan out. Where wrk is installed, it takes turns with the same request.';

const ROWS = 100_000;
const MANY_ROWS = 1_000_000;
const RUNS = 3;

/** @typedef {import('../stage.js').Stage} Stage */

/** @param {Stage} stage */
export async function* run(stage) {
  const server = await fastServer(stage);
  const env = { SVC_BASE_URL: server.url, SVC_API_KEY: 'svc_test_benchmark' };
  const file = join(stage.folder, 'payroll.csv');
  await writePayroll(file, ROWS);
  const [rates, memories, shares] = [[], [], []].map((list) => /** @type {number[]} */ (list));
  for (let round = 0; round < RUNS; round += 1) {
    const home = stage.environment(env);
    const plan = timedRun(stage, home, ['payouts', 'batch', file, '--dry-run']);
    const sent = timedRun(stage, home, ['payouts', 'batch', file]);
    const perSecond = ROWS / (sent.seconds - plan.seconds);
    rates?.push(perSecond);
    memories?.push(sent.megabytes);
    const most = hasWrk() ? wrk(stage, server.url) : null;
    if (most !== null) shares?.push((perSecond / most) * 100);
  }
  yield { what: `payouts sent, ${ROWS} rows`, unit: 'a second', ...spread(rates ?? [], 0) };
  yield memoryRow(memories ?? []);
  if (shares !== undefined && shares.length > 0) {
    yield { what: 'the same, of what wrk gets', unit: '%', goal: { atLeast: 80 }, ...spread(shares, 0) };
  }
  await writePayroll(file, MANY_ROWS);
  const many = timedRun(stage, stage.environment(env), ['payouts', 'batch', file, '--dry-run']);
  yield {
    what: `rows validated and planned, ${MANY_ROWS}`,
    unit: 'a second',
    ...spread([MANY_ROWS / many.seconds], 0),
  };
  yield memoryRow([many.megabytes]);
  rmSync(file);
  const book = join(stage.folder, 'payroll.xlsx');
  writeWorkbook(book, ROWS);
  const read = Array.from({ length: RUNS }, () =>
    timedRun(stage, stage.environment(env), ['payouts', 'batch', book, '--dry-run']),
  );
  yield {
    what: `rows of a workbook validated and planned, ${ROWS}`,
    unit: 's',
    goal: { atMost: 10 },
    ...spread(
      read.map(({ seconds }) => seconds),
      1,
    ),
  };
  const most = read.map(({ megabytes }) => megabytes);
  yield memoryRow(most, 250);
  await server.stop();
}

/** @param {Stage} stage @param {string} url */
function wrk(stage, url) {
  const script = join(stage.folder, 'post.lua');
  const body = JSON.stringify({ ...PAYOUT, reference: 'pay-1234567' });
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    authorization: 'Bearer svc_test_benchmark',
    'content-type': 'application/json',
    'idempotency-key': 'svcb2-y3JbW5lSq0OX6jLxMZKiWbLCQhDHwjFOmeObOxU-7fc',
    'user-agent': 'svc/0.1.0',
  };
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = "${value}"`);
  writeFileSync(script, ['wrk.method = "POST"', `wrk.body = [[${body}]]`, ...lines].join('\n'));
  const args = ['-t1', '-c16', '-d4s', '-s', script, `${url}/sandbox/v2/payouts`];
  const { stdout } = spawnSync('wrk', args, { encoding: 'utf8' });
  return Number(/Requests\/sec: +([0-9.]+)/.exec(stdout)?.[1]);
}

/** wrk exits with a failure after it prints its version. */
function hasWrk() {
  return spawnSync('wrk', ['-v'], { stdio: 'ignore' }).error === undefined;
}
