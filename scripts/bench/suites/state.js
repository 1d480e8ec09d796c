import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryRow, spread } from '../measure.js';
import { fastServer, timedRun, writePayroll } from '../payroll.js';
import { sharedState, slowLine } from '../shared.js';

export const title = 'A batch that machines share';
export const note =
  'A PostgreSQL of this machine, 30,000 payouts over 16 connections to a server that only answers, every row durable in the database ' +
  'before it leaves; then with 12.5 ms each way to the database. An exchange records 256 rows and takes as many. A machine that was ' +
  'killed is waited for until its lease ends, after 70 s.';

const ROWS = 30_000;
const RUNS = 3;
const LIMITED_S = 4;
const KEY = 'svc_test_benchmark';

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {import('../shared.js').Shared} Shared */
/** @typedef {import('../shared.js').Server} Server */

/** @param {Stage} stage */
export async function* run(stage) {
  const shared = await sharedState(stage);
  const server = await shared.startPostgres();
  if (server === null) return;
  try {
    yield* rates(stage, server);
    const taken = [];
    for (let round = 0; round < RUNS; round += 1) {
      const ms = (await shared.exchangeMs(server, ROWS, 256)).sort((a, b) => a - b);
      taken.push(ms[Math.floor(ms.length * 0.99)] ?? Number.NaN);
    }
    yield { what: 'exchange of 256 rows, 99 of 100', unit: 'ms', goal: { atMost: 50 }, ...spread(taken, 1) };
    yield* hearing(stage, shared, server);
    yield* untouched(stage, server);
  } finally {
    await server.stop();
  }
}

let schemas = 0;

/** @param {Stage} stage @param {Server} server @param {number} [port] */
function stateOf(stage, { address }, port = address.port) {
  const { host, user, password, database } = address;
  schemas += 1;
  const state = {
    SVC_STATE: `postgres://${user}@${host}:${port}/${database}?schema=bench_${schemas}`,
    SVC_STATE_PASSWORD: password,
    SVC_API_KEY: KEY,
  };
  stage.once(['state', 'init', '--sandbox', '--json'], stage.environment(state));
  return state;
}

/** @param {Stage} stage @param {Server} server */
async function* rates(stage, server) {
  const service = await fastServer(stage);
  const file = join(stage.folder, 'shared.csv');
  await writePayroll(file, ROWS);
  const slowPort = await slowLine(stage, server.address.port, 12.5);
  for (const [name, port, atLeast] of /** @type {const} */ ([
    ['one machine', server.address.port, 5000],
    ['the same, 25 ms away from the database', slowPort, 3000],
  ])) {
    const [perSecond, megabytes] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
    for (let round = 0; round < RUNS; round += 1) {
      const home = stage.environment({ ...stateOf(stage, server, port), SVC_BASE_URL: service.url });
      megabytes.push(timedRun(stage, home, ['payouts', 'batch', file]).megabytes);
      perSecond.push(ROWS / (await service.sentSeconds()));
    }
    yield { what: `payouts sent, ${name}`, unit: 'a second', goal: { atLeast }, ...spread(perSecond, 0) };
    yield memoryRow(megabytes);
  }
  await service.stop();
}

/** @param {Stage} stage @param {Shared} shared @param {Server} server */
async function* hearing(stage, shared, server) {
  const ledger = await shared.openLedger();
  const file = join(stage.folder, 'heard.csv');
  writeFileSync(file, shared.payrollOf('heard', 6000));
  const env = () => stage.environment({ ...state, SVC_BASE_URL: ledger.url });
  let state = stateOf(stage, server);
  const begin = () => start(stage, ['payouts', 'batch', file, '--batch', 'heard', '--json'], env());
  const resume = () => start(stage, ['batches', 'resume', 'heard', '--json'], env());

  ledger.delayMs = 60;
  ledger.retryAfter = LIMITED_S;
  const first = begin();
  await posts(ledger, 50, first.child);
  const all = [first, resume(), resume()];
  /** @type {number[]} */
  const seconds = [];
  for (let round = 0; round < RUNS; round += 1) {
    await pause(2500);
    let [limitedMs, lastMs] = [0, 0];
    ledger.onPost = () => {
      const nowMs = performance.now();
      if (limitedMs === 0) limitedMs = nowMs;
      else if (nowMs - limitedMs < LIMITED_S * 900) lastMs = nowMs;
      return limitedMs === nowMs ? '429' : 'paid';
    };
    await pause(LIMITED_S * 1000);
    ledger.onPost = null;
    seconds.push(Math.max(0, lastMs - limitedMs) / 1000);
  }
  ledger.delayMs = 0;
  await Promise.all(all.map((child) => child.ended));
  yield { what: 'others stop after a 429 for one', unit: 's', goal: { atMost: 1 }, ...spread(seconds, 2) };

  state = stateOf(stage, server);
  writeFileSync(file, shared.payrollOf('heir', 60));
  ledger.onPost = () => 'never';
  const killed = begin();
  await posts(ledger, 1, killed.child);
  killed.child.kill('SIGKILL');
  const killedMs = performance.now();
  ledger.onPost = null;
  await resume().ended;
  const tookS = (performance.now() - killedMs) / 1000;
  yield { what: 'taken over and sent after a kill', unit: 's', goal: { atMost: 72 }, ...spread([tookS], 1) };
  await ledger.close();
}

/** @param {Stage} stage @param {Server} server */
async function* untouched(stage, server) {
  const state = stateOf(stage, server);
  const [without, beside] = [stage.environment(), stage.environment(state)];
  /** @param {NodeJS.ProcessEnv} env */
  const timed = (env) => {
    const startedMs = performance.now();
    spawnSync(process.execPath, [stage.svc, 'profiles', 'list', '--json'], {
      env,
      stdio: 'ignore',
    });
    return performance.now() - startedMs;
  };
  const more = Array.from({ length: 24 }, () => timed(beside) - timed(without)).slice(3);
  yield {
    what: 'what it adds to a command without a batch',
    unit: 'ms',
    goal: { atMost: 1 },
    ...spread(more, 1),
  };
}

/** @param {Stage} stage @param {string[]} words @param {NodeJS.ProcessEnv} env */
function start(stage, words, env) {
  const child = stage.start([stage.svc, ...words], { env, stdio: 'ignore' });
  return { child, ended: once(child, 'close') };
}

/**
 * @param {import('../shared.js').Ledger} ledger
 * @param {number} count
 * @param {import('node:child_process').ChildProcess} child
 */
async function posts(ledger, count, child) {
  const until = ledger.posts() + count;
  while (ledger.posts() < until) {
    if (child.exitCode !== null) throw new Error(`svc ended with ${child.exitCode} before it sent anything`);
    await pause(20);
  }
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
