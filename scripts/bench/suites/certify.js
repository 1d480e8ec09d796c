import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spread, timeMs } from '../measure.js';

export const title = 'Exams of your own code';
export const note =
  'The receiver of docs/receive-events.md, with a `grep` as `--effect`. A command that pays once and repeats nothing: what a case adds ' +
  'to it. A test of one second that pays, looks and repeats: all its cases.';

const TIMES = 7;
const SECRET = 'whsec_of_the_benchmark';
const GOALS = { blind: 1000, seen: 6000, run: 25, atFour: 15_000, alone: 45_000 };
const FEW = ['r4'];
const MORE = ['r4', 'e50', 'declined', 'garbage', 'truncated', 'lost'];

/** @param {string} then */
const paying = (then) => `
const call = (method, path, body) => fetch(process.env.SVC_SANDBOX_URL + '/v2/payouts' + path, {
  method,
  body,
  signal: AbortSignal.timeout(3000),
  headers: {
    authorization: 'Bearer ' + process.env.SVC_API_KEY,
    'content-type': 'application/json',
    'idempotency-key': 'order-1001',
  },
});
const body = JSON.stringify({
  ...{ method: 'mobile_payment', country: 'VE', currency: 'VES', amount: '1.00', reference: 'order-1001' },
  beneficiary: { document: { type: 'V', number: '12345678' }, bank_code: '0102', account_number: '04121234567' },
});
${then}`;

const ONCE = paying(`
const answer = await call('POST', '', body);
process.exit(answer.ok && (await answer.json()).status === 'confirmed' ? 0 : 1);
`);

const SECOND = paying(`
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const until = Date.now() + 900;
async function sure(work) {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await work().catch(() => null);
    const value = await answer?.json().catch(() => null);
    if (value && answer.status < 500 && answer.status !== 429) return { isOk: answer.ok, ...value };
    if (attempt === 4) throw new Error('no answer');
    await pause(Math.max(50, 1000 * Number(answer?.headers.get('retry-after'))));
  }
}
const { isOk, id } = await sure(() => call('POST', '', body));
if (!isOk) process.exit(1);
let status;
for (let look = 0; look < 40 && (status ?? 'pending') === 'pending'; look += 1) {
  const seen = await sure(() => call('GET', '/' + id));
  if (!seen.isOk) process.exit(1);
  ({ status } = seen);
  if (status === 'pending') await pause(100);
}
await pause(until - Date.now());
process.exit(status === 'confirmed' ? 0 : 1);
`);

/** @param {import('../stage.js').Stage} stage */
export async function* run(stage) {
  yield* receiverRows(stage);
  const env = stage.environment();
  const server = await stage.sandbox(':memory:');
  const costs = [];
  for (let round = 0; round <= TIMES; round += 1) {
    const few = await clientExam(stage, env, FEW, 1, ONCE);
    const more = await clientExam(stage, env, MORE, 1, ONCE);
    const own = { ...env, SVC_SANDBOX_URL: server.sandbox_base_url, SVC_API_KEY: server.api_key };
    const alone = [];
    for (let run = few.cases; run < more.cases; run += 1) alone.push(timeMs(pay(stage, own)));
    const aloneMs = alone.reduce((sum, ms) => sum + ms, 0) / alone.length;
    // The first run warms up.
    if (round > 0) costs.push((more.tookMs - few.tookMs) / (more.cases - few.cases) - aloneMs);
  }
  await server.stop();
  yield { what: 'a run, beside its command', unit: 'ms', goal: { atMost: GOALS.run }, ...spread(costs, 1) };
  for (const [jobs, atMost] of /** @type {const} */ ([
    [4, GOALS.atFour],
    [1, GOALS.alone],
  ])) {
    const { tookMs, cases } = await clientExam(stage, env, [], jobs, SECOND);
    const what = `a test of 1 s, ${cases} cases, ${jobs === 1 ? 'one after the other' : `${jobs} at a time`}`;
    yield { what, unit: 'ms', goal: { atMost }, ...spread([tookMs], 0) };
  }
}

/** @param {import('../stage.js').Stage} stage */
async function* receiverRows(stage) {
  const page = readFileSync(join(stage.root, 'docs/receive-events.md'), 'utf8');
  const [, text = ''] = /^```js receiver\.mjs\n([^]*?)^```$/m.exec(page) ?? [];
  const [path, handled, port] = [
    join(stage.folder, 'receiver.mjs'),
    join(stage.folder, 'handled.txt'),
    await freePort(),
  ];
  writeFileSync(path, text);
  writeFileSync(handled, '');
  const child = stage.start([path], {
    env: stage.environment({ WEBHOOK_SECRETS: SECRET, PORT: String(port) }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout?.on('data', (chunk) => appendFileSync(handled, chunk));
  const url = `http://127.0.0.1:${port}/`;
  while ((await fetch(url).catch(() => null)) === null) await sleep(50);
  const env = stage.environment({ SVC_WEBHOOK_SECRET: SECRET });
  const probe = `grep "$SVC_OPERATION_ID" '${handled}' || true`;
  for (const [what, flags, atMost] of /** @type {const} */ ([
    ['a receiver, without a probe', ['--skip', 'twice', '--skip', 'ping'], GOALS.blind],
    ['a receiver, with a probe', ['--effect', probe], GOALS.seen],
  ])) {
    const taken = [];
    for (let round = 0; round <= TIMES; round += 1) {
      const { tookMs } = await examined(stage, ['receiver', '--to', url, ...flags], env);
      if (round > 0) taken.push(tookMs);
    }
    yield { what, unit: 'ms', goal: { atMost }, ...spread(taken, 0) };
  }
}

/**
 * @param {import('../stage.js').Stage} stage
 * @param {NodeJS.ProcessEnv} env
 * @param {readonly string[]} only
 * @param {number} jobs
 * @param {string} program
 */
function clientExam(stage, env, only, jobs, program) {
  const path = programOf(stage);
  writeFileSync(path, program);
  const flags = [...only.flatMap((id) => ['--only', id]), '--jobs', String(jobs)];
  return examined(stage, ['client', ...flags, '--', process.execPath, path], env);
}

/** @param {import('../stage.js').Stage} stage */
function programOf(stage) {
  return join(stage.folder, 'pay.mjs');
}

/** @param {import('../stage.js').Stage} stage @param {NodeJS.ProcessEnv} env */
function pay(stage, env) {
  return { what: 'the command', command: process.execPath, args: [programOf(stage)], env };
}

/** @param {import('../stage.js').Stage} stage @param {readonly string[]} words @param {NodeJS.ProcessEnv} env */
async function examined(stage, words, env) {
  const beganMs = performance.now();
  const [exam = '', ...others] = words;
  const child = spawn(process.execPath, [stage.svc, 'certify', exam, '--json', '--quiet', ...others], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => (text += String(chunk)));
  child.stderr.on('data', (chunk) => (text += String(chunk)));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`svc certify ${words.join(' ')} ended with ${code}:\n${text}`);
  const { cases } = JSON.parse(text);
  return { tookMs: performance.now() - beganMs, cases: cases.length };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return address !== null && typeof address !== 'string' ? address.port : 0;
}
