import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { spread } from '../measure.js';
import { payin, send } from '../requests.js';

export const title = 'Sandbox server';
export const note =
  'Payouts over 16 keep-alive connections, one request at a time on each. Each is an operation, ledger entries, an event and an ' +
  'idempotency key.';

const CONNECTIONS = 16;
const COUNT = 8000;
const RUNS = 5;

/** @param {import('../stage.js').Stage} stage */
export async function* run(stage) {
  yield await payouts(stage, 'payouts created, in memory', ':memory:', 8000);
  yield await payouts(stage, 'payouts created, durable file', join(stage.folder, 'sandbox.db'), 4000);
  yield* memory(stage);
}

const MANY = 100_000;
const DELIVERIES = 10_000;

/** @param {import('../stage.js').Stage} stage */
async function* memory(stage) {
  let received = 0;
  const receiver = createServer((request, response) => {
    received += 1;
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => receiver.once('listening', resolve));
  const server = await stage.sandbox(join(stage.folder, 'memory.db'), ['--allow-http-webhooks']);
  await load(stage, server, 'memory-first', MANY / 5);
  yield resident('memory after 20,000 operations', server.pid);
  await load(stage, server, 'memory-second', MANY - MANY / 5 - DELIVERIES);
  const { port } = /** @type {import('node:net').AddressInfo} */ (receiver.address());
  await send(server, 'POST', '/v2/webhook-endpoints', { url: `http://127.0.0.1:${port}/` });
  await load(stage, server, 'memory-delivered', DELIVERIES);
  for (let waited = 0; received < DELIVERIES && waited < 600; waited += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  if (received < DELIVERIES) throw new Error(`only ${received} of ${DELIVERIES} deliveries came`);
  yield resident('memory after 100,000 operations and 10,000 deliveries', server.pid);
  await server.stop();
  receiver.closeAllConnections();
  receiver.close();
}

/** @param {string} what @param {number} pid */
function resident(what, pid) {
  const [, kb] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { what, unit: 'MB', ...spread([Number(kb) / 1024], 0) };
}

/** @param {import('../stage.js').Stage} stage @param {string} what @param {string} store @param {number} atLeast */
async function payouts(stage, what, store, atLeast) {
  const server = await stage.sandbox(store);
  await send(server, 'POST', '/v2/payins', payin(1_000_000));
  const rates = [];
  for (let run = 0; run <= RUNS; run += 1) {
    const { count, takenMs } = await load(stage, server, `run-${run}`);
    // The first run warms up.
    if (run > 0) rates.push((count / takenMs) * 1000);
  }
  await server.stop();
  return { what, unit: 'a second', goal: { atLeast }, ...spread(rates, 0) };
}

/** @param {import('../stage.js').Stage} stage @param {import('../stage.js').Ready} server @param {string} run @param {number} [count] */
async function load(stage, server, run, count = COUNT) {
  const orders = {
    url: server.sandbox_base_url,
    key: server.api_key,
    count,
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
