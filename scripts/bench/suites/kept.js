import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spread } from '../measure.js';
import { PAYOUT } from '../requests.js';

export const title = 'A sandbox in a file';
export const note =
  '`svc sandbox export` and `import` of 10,000 payouts with events and keys, start included, without a server.';

const OPERATIONS = 10_000;
const RUNS = 7;

/** @param {import('../stage.js').Stage} stage */
export async function* run(stage) {
  const env = stage.environment();
  const file = join(stage.folder, 'state.json');
  const timed = (/** @type {string[]} */ ...args) => {
    const beganMs = performance.now();
    const { status, stdout, stderr } = spawnSync(process.execPath, [stage.svc, 'sandbox', ...args], {
      env,
      maxBuffer: 2 ** 28,
    });
    const takenMs = performance.now() - beganMs;
    if (status !== 0) throw new Error(`svc sandbox ${args[0]}: ${String(stderr)}`);
    return { takenMs, stdout };
  };
  const empty = /** @type {any} */ (JSON.parse(timed('export').stdout.toString()));
  writeFileSync(file, JSON.stringify(filled(empty)));
  timed('import', file);
  const exports = [];
  const imports = [];
  for (let round = 0; round < RUNS; round += 1) {
    const { takenMs, stdout } = timed('export');
    exports.push(takenMs);
    writeFileSync(file, stdout);
    imports.push(timed('import', file).takenMs);
  }
  if (readFileSync(file).length < OPERATIONS * 500) throw new Error('less was kept than was there');
  yield { what: 'export of 10,000 operations', unit: 'ms', goal: { atMost: 1000 }, ...spread(exports, 0) };
  yield { what: 'import of 10,000 operations', unit: 'ms', ...spread(imports, 0) };
}

/** @param {any} state */
function filled(state) {
  const now = `${state.now.slice(0, 19)}Z`;
  const idOf = (/** @type {number} */ count) => `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
  const counts = Array.from({ length: OPERATIONS }, (_, index) => index + 1);
  const { country, currency, method, amount, beneficiary } = PAYOUT;
  const operations = counts.map((count) => ({
    ...{ company: 'default', environment: 'sandbox' },
    operation: {
      ...{
        id: idOf(count),
        type: 'payout',
        country,
        currency,
        method,
        amount,
        status: 'confirmed',
        pending_reason: null,
      },
      ...{
        bank_reference: String(count).padStart(8, '0'),
        confirmed_at: now,
        failure: null,
        reference: `order-${count}`,
      },
      ...{
        metadata: { order: count },
        purpose: 'remittance',
        concept: 'Pago DEF000000',
        created_by: 'company',
      },
      ...{ created_at: now, updated_at: now },
    },
    internal: {
      ...{ document_type: 'V', document_number: beneficiary.document.number, phone: null, bank_code: '0102' },
      ...{ resends: 0, code_expires_at: null, due_at: null, verdict: null, settles_on_lookup: false },
    },
  }));
  const [company] = state.companies;
  const idempotency = counts.map((count) => ({
    ...{ key: `order-${String(count).padStart(8, '0')}`, operation: idOf(count) },
    ...{ fingerprint: 'ab'.repeat(32), expires_at: '2999-01-01T00:00:00Z' },
  }));
  const { bank_references: _, events: __, ...rest } = state;
  return { ...rest, companies: [{ ...company, balances: undefined, idempotency }], operations };
}
