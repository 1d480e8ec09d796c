import { expect, it } from 'vitest';
import { playSeveral } from './history.js';
import { SEVERAL_RULES, type SeveralRule } from './rules.js';

const ONE = process.env['SEED'];
const FIRST = Number(ONE ?? 1);
const COUNT = ONE === undefined ? 50 : 1;
const LIMIT_MS = 120_000;
const FIRST_MISSED: Readonly<Record<SeveralRule, number>> = {
  'look before sending': 146,
  'results of whoever has the row': 124,
  'REAP remembers': 45,
  'seq and home': 497,
  'failover check': 164,
};
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
    const first = FIRST_MISSED[rule];
    for (let seed = first; seed < first + CONTROLS && verdicts.length === 0; seed += 1)
      ({ verdicts } = await playSeveral(seed, rule));
    expect(verdicts).not.toEqual([]);
  },
  LIMIT_MS,
);
