/** How fast and in how much memory a file is sent, beside wrk against the same server where that is installed. */
import { spawnSync } from 'node:child_process';
import { createWriteStream, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { spread } from '../measure.js';
import { PAYOUT } from '../requests.js';

export const title = 'Bulk';
export const note =
  'A file of payouts over 16 connections to a server that reads a body and answers it, and keeps nothing: planned, every row durable before it leaves, every answer ' +
  'recorded. The rate is that of sending, without the plan. Beside it what wrk gets from the same server with 16 connections and ' +
  'the same request, in turns. Memory is the greatest resident size of the process.';

const ROWS = 100_000;
const MANY_ROWS = 1_000_000;
const RUNS = 3;

/** @typedef {import('../stage.js').Stage} Stage */

/** @param {Stage} stage */
export async function* run(stage) {
  const server = await fastServer(stage);
  const env = { SVC_BASE_URL: server.url, SVC_API_KEY: 'svc_test_benchmark' };
  const file = join(stage.folder, 'payroll.csv');
  await writeFile(file, ROWS);
  const [rates, memories, shares] = [[], [], []].map((list) => /** @type {number[]} */ (list));
  for (let round = 0; round < RUNS; round += 1) {
    const home = stage.environment(env);
    const plan = svc(stage, home, ['payouts', 'batch', file, '--dry-run']);
    const sent = svc(stage, home, ['payouts', 'batch', file]);
    const perSecond = ROWS / (sent.seconds - plan.seconds);
    rates?.push(perSecond);
    memories?.push(sent.megabytes);
    const most = hasWrk() ? wrk(stage, server.url) : null;
    if (most !== null) shares?.push((perSecond / most) * 100);
  }
  yield { what: `payouts sent, ${ROWS} rows`, unit: 'a second', ...spread(rates ?? [], 0) };
  if (shares !== undefined && shares.length > 0) {
    yield { what: 'the same, of what wrk gets', unit: '%', goal: { atLeast: 80 }, ...spread(shares, 0) };
  }
  yield { what: 'memory of the same', unit: 'MB', goal: { atMost: 150 }, ...spread(memories ?? [], 0) };
  await writeFile(file, MANY_ROWS);
  const many = svc(stage, stage.environment(env), ['payouts', 'batch', file, '--dry-run']);
  yield {
    what: `rows validated and planned, ${MANY_ROWS}`,
    unit: 'a second',
    ...spread([MANY_ROWS / many.seconds], 0),
  };
  yield { what: 'memory of the same', unit: 'MB', goal: { atMost: 150 }, ...spread([many.megabytes], 0) };
  rmSync(file);
  await server.stop();
}

/**
 * Runs svc to its end under /usr/bin/time, on this very Node.
 * @param {Stage} stage @param {NodeJS.ProcessEnv} env @param {string[]} words
 */
function svc(stage, env, words) {
  const args = ['-f', '%e %M', process.execPath, stage.svc, ...words, '--quiet', '--json'];
  const { status, stderr } = spawnSync('/usr/bin/time', args, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`svc ${words.join(' ')} ended with ${status}:\n${stderr}`);
  const [seconds = 0, kilobytes = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return { seconds, megabytes: (kilobytes * 1024) / 1e6 };
}

/** Requests a second that wrk gets. @param {Stage} stage @param {string} url */
function wrk(stage, url) {
  const script = join(stage.folder, 'post.lua');
  const body = JSON.stringify({ ...PAYOUT, reference: 'pay-1234567' });
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    authorization: 'Bearer svc_test_benchmark',
    'content-type': 'application/json',
    'idempotency-key': 'svcb1-y3JbW5lSq0OX6jLxMZKiWbLCQhDHwjFOmeObOxU-7fc',
    'user-agent': 'svc/0.1.0',
  };
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = "${value}"`);
  writeFileSync(script, ['wrk.method = "POST"', `wrk.body = [[${body}]]`, ...lines].join('\n'));
  const args = ['-t1', '-c16', '-d4s', '-s', script, `${url}/sandbox/v2/payouts`];
  const { stdout } = spawnSync('wrk', args, { encoding: 'utf8' });
  return Number(/Requests\/sec: +([0-9.]+)/.exec(stdout)?.[1]);
}

/** @param {string} file @param {number} rows */
async function writeFile(file, rows) {
  const stream = createWriteStream(file);
  stream.write(
    'reference,amount,country,currency,method,beneficiary.name,beneficiary.document.type,beneficiary.document.number,' +
      'beneficiary.bank_code,beneficiary.account_number\n',
  );
  for (let row = 0; row < rows; row += 1) {
    const phone = `0412${String(row).padStart(7, '0')}`;
    const line = `pay-${row},1.00,VE,VES,mobile_payment,Ana Pérez,V,${10_000_000 + row},0102,${phone}\n`;
    if (!stream.write(line)) await once(stream, 'drain');
  }
  await new Promise((resolve) => stream.end(resolve));
}

/** Starts the server that only answers, with the sandbox's own catalog. @param {Stage} stage */
async function fastServer(stage) {
  const env = stage.environment();
  const capabilities = stage.once(['capabilities', '-o', 'json'], env).trim();
  /** @type {{ countries: { code: string }[] }} */
  const { countries } = JSON.parse(capabilities);
  const banks = Object.fromEntries(
    countries.map(({ code }) => [code, stage.once(['banks', '--country', code, '-o', 'json'], env).trim()]),
  );
  const path = join(import.meta.dirname, '..', 'fast-server.js');
  const child = stage.start([path, JSON.stringify({ capabilities, banks })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise((resolve) =>
    child.stdout?.once('data', (chunk) => resolve(String(chunk).trim())),
  );
  return {
    url: String(url),
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

/** wrk prints its version and calls that a failure. */
function hasWrk() {
  return spawnSync('wrk', ['-v'], { stdio: 'ignore' }).error === undefined;
}
