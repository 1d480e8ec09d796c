/** How many payouts a second the sandbox's server takes. */
import { join } from 'node:path';
import { spread } from '../measure.js';
import { payin, send } from '../requests.js';

export const title = 'Sandbox server';
export const note =
  'Payouts created over 16 keep-alive connections, one request at a time on each, from a process of its own. Every payout is an ' +
  'operation, ledger entries, an event and an idempotency key.';

const CONNECTIONS = 16;
const COUNT = 8000;
const RUNS = 5;

/** @param {import('../stage.js').Stage} stage */
export async function* run(stage) {
  yield await payouts(stage, 'payouts created, in memory', ':memory:', 8000);
  yield await payouts(stage, 'payouts created, durable file', join(stage.folder, 'sandbox.db'), 4000);
}

/** @param {import('../stage.js').Stage} stage @param {string} what @param {string} store @param {number} atLeast */
async function payouts(stage, what, store, atLeast) {
  const server = await stage.sandbox(store);
  await send(server, 'POST', '/v2/payins', payin(1_000_000));
  const rates = [];
  for (let run = 0; run <= RUNS; run += 1) {
    const { count, takenMs } = await load(stage, server, `run-${run}`);
    // The first one warms up.
    if (run > 0) rates.push((count / takenMs) * 1000);
  }
  await server.stop();
  return { what, unit: 'a second', goal: { atLeast }, ...spread(rates, 0) };
}

/** @param {import('../stage.js').Stage} stage @param {import('../stage.js').Ready} server @param {string} run */
async function load(stage, server, run) {
  const orders = {
    url: server.sandbox_base_url,
    key: server.api_key,
    count: COUNT,
    connections: CONNECTIONS,
    run,
  };
  const path = join(import.meta.dirname, '..', 'load.js');
  const child = stage.start([path, JSON.stringify(orders)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout?.on('data', (chunk) => (text += String(chunk)));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`the load generator ended with ${code}`);
  return /** @type {{ count: number, takenMs: number }} */ (JSON.parse(text));
}
