/** Ten thousand simulated batches in `npm run test:soak`; `npm test` has its own share in test/bulk/simulation. */
import { expect, it } from 'vitest';
import { simulate } from '../../bulk/simulation/simulation.js';
import { faultsOf } from '../../bulk/simulation/verdicts.js';

const SEEDS = process.env['SOAK'] === undefined ? 10 : 10_000;
/** Behind the ones that every run simulates. */
const FIRST = 100_000;

it(`pays every row of ${String(SEEDS)} more batches once`, async () => {
  for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
    expect(faultsOf(await simulate(seed)), `SEED=${String(seed)}`).toEqual([]);
  }
}, 600_000);
