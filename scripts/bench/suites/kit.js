import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { spread } from '../measure.js';

export const title = 'The kit for tests';
export const note =
  '`startSandbox` in a process that has used it before, with a port; then a sandbox with 100 payouts.';

const RUNS = 21;
const PAYOUTS = 100;

/** @param {import('../stage.js').Stage} stage */
export async function* run(stage) {
  const { startSandbox } = await import(pathToFileURL(join(stage.root, 'dist/testing.js')).href);
  const starts = [];
  const resets = [];
  const snapshots = [];
  const restores = [];
  for (let round = 0; round <= RUNS; round += 1) {
    const beganMs = performance.now();
    const sandbox = await startSandbox();
    const startedMs = performance.now();
    for (let count = 0; count < PAYOUTS; count += 1) await pay(sandbox, count);
    const beforeMs = performance.now();
    const state = await sandbox.snapshot();
    const takenMs = performance.now();
    await sandbox.restore(state);
    const filledMs = performance.now();
    await sandbox.reset();
    const emptyMs = performance.now();
    await sandbox.close();
    // The first run warms up.
    if (round === 0) continue;
    starts.push(startedMs - beganMs);
    resets.push(emptyMs - filledMs);
    snapshots.push(takenMs - beforeMs);
    restores.push(filledMs - takenMs);
  }
  yield { what: 'start', unit: 'ms', goal: { atMost: 50 }, ...spread(starts, 2) };
  yield { what: 'reset()', unit: 'ms', goal: { atMost: 5 }, ...spread(resets, 2) };
  yield { what: 'snapshot()', unit: 'ms', goal: { atMost: 5 }, ...spread(snapshots, 2) };
  yield { what: 'restore()', unit: 'ms', goal: { atMost: 5 }, ...spread(restores, 2) };
}

/** @param {any} sandbox @param {number} count */
async function pay(sandbox, count) {
  const response = await sandbox.fetch('/sandbox/v2/payouts', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${sandbox.apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': `payout-${count}`,
    },
    body: JSON.stringify({
      ...{ method: 'mobile_payment', country: 'VE', currency: 'VES', amount: '1.00' },
      beneficiary: {
        document: { type: 'V', number: '12345678' },
        bank_code: '0102',
        account_number: '04121234567',
      },
    }),
  });
  if (response.status !== 201) throw new Error(`a payout was answered with ${response.status}`);
}
