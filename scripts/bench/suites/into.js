import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryRow, spread } from '../measure.js';
import { fastServer, timedRun } from '../payroll.js';
import { sharedState } from '../shared.js';

export const title = 'Events into tables';
export const note =
  'From a local server, 200 events a page, start included: 1,000,000 into SQLite, 200,000 into a PostgreSQL of this machine. COPY of ' +
  'the same rows from a file on the server takes turns with it.';

const INTO_FILE = 1_000_000;
const INTO_SERVER = 200_000;
const RUNS = 3;

/** @typedef {import('../stage.js').Stage} Stage */

/** @param {Stage} stage */
export async function* run(stage) {
  yield* intoFile(stage);
  const shared = await sharedState(stage);
  const server = await shared.startPostgres();
  if (server === null) return;
  try {
    yield* intoServer(stage, server);
  } finally {
    await server.stop();
  }
}

/** @param {Stage} stage */
async function* intoFile(stage) {
  const service = await fastServer(stage, INTO_FILE);
  const file = join(stage.folder, 'events.db');
  const env = environment(stage, service.url);
  const taken = timedRun(stage, env, [
    'events',
    'tail',
    '--no-follow',
    '--create',
    '--into',
    `sqlite:${file}`,
  ]);
  await service.stop();
  for (const name of [file, `${file}-wal`, `${file}-shm`]) rmSync(name, { force: true });
  yield {
    what: 'events into SQLite',
    unit: 'a second',
    goal: { atLeast: 50_000 },
    ...spread([INTO_FILE / taken.seconds], 0),
  };
  yield memoryRow([taken.megabytes]);
}

/** @param {Stage} stage @param {import('../shared.js').Server} server */
async function* intoServer(stage, server) {
  const service = await fastServer(stage, INTO_SERVER);
  const { host, port, user, password, database } = server.address;
  // PostgreSQL writes there as its own user.
  const shelf = mkdtempSync(join(tmpdir(), 'svc-copied-'));
  chmodSync(shelf, 0o777);
  /** @type {{ rate: number[], share: number[], megabytes: number[] }} */
  const taken = { rate: [], share: [], megabytes: [] };
  for (let round = 0; round < RUNS; round += 1) {
    const schema = `into_${round}`;
    const into = `postgres://${user}@${host}:${port}/${database}?schema=${schema}`;
    const env = { ...environment(stage, service.url), SVC_INTO_PASSWORD: password };
    const ours = timedRun(stage, env, ['events', 'tail', '--no-follow', '--create', '--into', into]);
    const copied = await copySeconds(server, schema, join(shelf, schema));
    taken.rate.push(INTO_SERVER / ours.seconds);
    taken.share.push(copied / ours.seconds);
    taken.megabytes.push(ours.megabytes);
  }
  await service.stop();
  rmSync(shelf, { recursive: true, force: true });
  yield { what: 'events into PostgreSQL', unit: 'a second', ...spread(taken.rate, 0) };
  yield memoryRow(taken.megabytes);
  yield {
    what: 'the same as a share of COPY',
    unit: 'of its rate',
    goal: { atLeast: 0.5 },
    ...spread(taken.share, 2),
  };
}

/** @param {{ query: (text: string) => Promise<unknown> }} server @param {string} schema @param {string} file */
async function copySeconds(server, schema, file) {
  const tables = ['svc_events', 'svc_operations'];
  await server.query(`CREATE SCHEMA ${schema}_copy`);
  for (const table of tables) {
    await server.query(`CREATE TABLE ${schema}_copy.${table} (LIKE ${schema}.${table} INCLUDING ALL)`);
    await server.query(`COPY ${schema}.${table} TO '${file}-${table}'`);
  }
  await server.query('CHECKPOINT');
  const startedMs = performance.now();
  for (const table of tables) await server.query(`COPY ${schema}_copy.${table} FROM '${file}-${table}'`);
  const seconds = (performance.now() - startedMs) / 1000;
  await server.query(`DROP SCHEMA ${schema} CASCADE; DROP SCHEMA ${schema}_copy CASCADE; CHECKPOINT`);
  return seconds;
}

/** @param {Stage} stage @param {string} url */
function environment(stage, url) {
  return stage.environment({ SVC_BASE_URL: url, SVC_API_KEY: 'svc_test_benchmark' });
}
