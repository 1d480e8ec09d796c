import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * @typedef {{ address: { host: string, port: number, user: string, password: string, database: string }, query: (text: string) => Promise<unknown>, stop: () => Promise<void> }} Server
 * @typedef {{ url: string, port: number, retryAfter: number, delayMs: number, onPost: null | (() => string), posts: () => number,
 *   close: () => Promise<void> }} Ledger
 * @typedef {{ startPostgres: () => Promise<Server | null>, openLedger: () => Promise<Ledger>,
 *   payrollOf: (prefix: string, count: number) => string, exchangeMs: (server: Server, rows: number, count: number) => Promise<number[]> }} Shared
 */

const CONTENTS = `
export { openPostgresHere as startPostgres } from './test/support/postgres.js';
export { openLedger } from './test/soak/state/ledger.js';
import { SENDABLE } from './src/storage/batches/row-state.js';
import { openPostgres } from './test/storage/batches/opening.js';
import { planned, plannedRow } from './test/storage/batches/given.js';
import { claimedAt } from './test/support/moments.js';
import { csvOf } from './test/batches/simulation/catalog.js';
export const payrollOf = (prefix, count) =>
  csvOf('payout', Array.from({ length: count }, (_, person) =>
    ({ reference: prefix + '-' + person, amount: 100, person, account: 'good' })));
export async function exchangeMs(server, rows, count) {
  const store = await openPostgres(await server.place());
  const all = Array.from({ length: rows }, (_, number) => plannedRow(number, 100n));
  const batch = await planned(store, all);
  await store.join(batch.id, 'send');
  const taken = [];
  let results = [];
  for (let after = -1; ;) {
    const startedMs = performance.now();
    const block = [...(await store.exchange(batch.id, results, { after, count, states: SENDABLE, ...claimedAt(Date.now()) }))];
    taken.push(performance.now() - startedMs);
    if (block.length === 0) break;
    results = block.map(({ number, sentAtMs }) => ({
      ...{ number, sentAtMs, state: 'confirmed', operation: 'op-' + number },
      ...{ status: 'confirmed', operationAtMs: null, code: null, detail: null },
    }));
    after = block.at(-1).number;
  }
  await store.close();
  return taken;
}
`;

/** @param {import('./stage.js').Stage} stage @returns {Promise<Shared>} */
export async function sharedState({ root }) {
  // The bundle is inside the project, so that it finds its libraries.
  const outfile = join(root, 'node_modules/.cache/svc-bench', `shared-${process.pid}.mjs`);
  await build({
    stdin: { contents: CONTENTS, resolveDir: root, loader: 'ts' },
    ...{ bundle: true, packages: 'external', platform: 'node', format: 'esm', outfile, logLevel: 'error' },
  });
  return import(outfile);
}

/** @param {import('./stage.js').Stage} stage @param {number} port @param {number} delayMs @returns {Promise<number>} */
export async function slowLine(stage, port, delayMs) {
  const path = join(import.meta.dirname, 'slow-line.js');
  const child = stage.start([path, String(port), String(delayMs)], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve) => child.stdout?.once('data', (chunk) => resolve(Number(chunk))));
}
