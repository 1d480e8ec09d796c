/** Several machines at one batch: a hundred histories on every run, thousands of others with `npm run safety -- state` (`SEED=n` plays one). */
import { expect, it } from 'vitest';
import { playSeveral } from './history.js';
import { SEVERAL_RULES, type SeveralRule } from './rules.js';

const ONE = process.env['SEED'];
const FIRST = Number(ONE ?? 1);
const COUNT = ONE === undefined ? 100 : 1;
const LIMIT_MS = 120_000;
/** Within so many each rule is missed; most of them much sooner. */
const CONTROLS = 500;
/** What is missed that seldom is played from about there. */
const FIRST_MISSED: Partial<Record<SeveralRule, number>> = { 'look before sending': 1800 };

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
    const first = FIRST_MISSED[rule] ?? 1;
    for (let seed = first; seed < first + CONTROLS && verdicts.length === 0; seed += 1)
      ({ verdicts } = await playSeveral(seed, rule));
    expect(verdicts).not.toEqual([]);
  },
  LIMIT_MS,
);
