/** Ten thousand simulated batches in `npm run test:soak`; `npm test` has its own share in test/bulk/simulation. */
import { expect, it } from 'vitest';
import { simulate, type Outcome, type Variant } from '../../bulk/simulation/simulation.js';
import { faultsOf } from '../../bulk/simulation/verdicts.js';
import { recordFigures, under } from '../figures.js';

const SOAK = process.env['SOAK'] !== undefined;
const SEEDS = SOAK ? 10_000 : 10;
const CONTROL_SEEDS = SOAK ? 1000 : 100;
/** Behind the ones that every run simulates. */
const FIRST = 100_000;
const LIMIT_MS = 900_000;

/** Adds up what many simulations counted. */
class Sum {
  readonly #counts = new Map<string, number>();

  add(outcome: Outcome): void {
    const { rows, ledger, kills, met, runs, decided } = outcome;
    const { none: _none, mismatch: _mismatch, ...faults } = met;
    const copies = new Map<string, number>();
    // One that failed at a bank is no money, and its row may be sent anew.
    for (const { reference, status } of ledger)
      if (status !== 'failed') copies.set(reference, (copies.get(reference) ?? 0) + 1);
    const wrong = faultsOf(outcome);
    this.#count({
      batches: 1,
      rows: rows.length,
      runs,
      kills: Object.values(kills).reduce((sum, count) => sum + count, 0),
      ...under('killed', kills),
      ...under('requests met', faults),
      'rows that a person decided about': decided,
      'rows paid twice': [...copies.values()].filter((count) => count > 1).length,
      'rows lost': wrong.filter((fault) => fault.includes('lost')).length,
    });
  }

  #count(counts: Readonly<Record<string, number>>): void {
    for (const [name, count] of Object.entries(counts))
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
  }

  get counts(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }
}

it(
  `pays every row of ${String(SEEDS)} more batches once`,
  async () => {
    const sum = new Sum();
    for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
      const outcome = await simulate(seed);
      expect(faultsOf(outcome), `SEED=${String(seed)}`).toEqual([]);
      sum.add(outcome);
    }
    recordFigures({ suite: 'Batches, simulated', run: `${String(SEEDS)} seeds`, counts: sum.counts });
  },
  LIMIT_MS,
);

it.each<[Variant, string]>([
  ['random_key', 'rows paid twice'],
  ['marks_before_sending', 'rows lost'],
  ['forgets_age', 'rows paid twice'],
  ['believes_nobody_was_paid', 'rows paid twice'],
  ['takes_any_operation', 'rows paid twice'],
])(
  'sees %s',
  async (variant, sign) => {
    const sum = new Sum();
    for (let seed = 1; seed <= CONTROL_SEEDS; seed += 1) sum.add(await simulate(seed, variant));
    expect(sum.counts[sign]).toBeGreaterThan(0);
    recordFigures({
      suite: 'Batches, simulated',
      run: `control: ${variant.replaceAll('_', ' ')}`,
      counts: sum.counts,
    });
  },
  LIMIT_MS,
);
