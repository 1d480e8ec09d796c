/** Several machines at one batch: a hundred histories on every run, thousands of others with `npm run safety -- state` (`SEED=n` plays one). */
import { expect, it } from 'vitest';
import { playSeveral } from './history.js';
import { SEVERAL_RULES } from './rules.js';

const ONE = process.env['SEED'];
const FIRST = Number(ONE ?? 1);
const COUNT = ONE === undefined ? 100 : 1;
const LIMIT_MS = 120_000;
/** Within so many each rule is missed; most of them much sooner. */
const CONTROLS = 500;

it(
  'pay nobody twice, lose nothing, unsettle nothing and leave nothing open, whoever dies, sleeps or is cut off',
  async () => {
    const faults: string[] = [];
    for (let seed = FIRST; seed < FIRST + COUNT; seed += 1) {
      const { verdicts } = await playSeveral(seed);
      if (verdicts.length > 0) faults.push(`SEED=${String(seed)} ${verdicts.join(', ')}`);
    }
    expect(faults).toEqual([]);
  },
  LIMIT_MS,
);

it.each(SEVERAL_RULES)(
  'end badly where "%s" is out',
  async (rule) => {
    let verdicts: readonly string[] = [];
    for (let seed = 1; seed <= CONTROLS && verdicts.length === 0; seed += 1)
      ({ verdicts } = await playSeveral(seed, rule));
    expect(verdicts).not.toEqual([]);
  },
  LIMIT_MS,
);
