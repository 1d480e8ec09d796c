import { expect, it } from 'vitest';
import { FAMILIES } from './history.js';
import { MONTH_FAMILIES } from './months.js';
import { sumOf } from './tally.js';
import '../../../support/starting.js';

const ONE = process.env['SEED'];
const FIRST = Number(ONE ?? 1);
const COUNT = ONE === undefined ? 15 : Number(process.env['COUNT'] ?? 1);
const MONTHS = ONE === undefined ? 8 : COUNT;
const LIMIT_MS = 120_000;

it.each(FAMILIES)(
  'family "%s": nobody is paid twice, nothing is lost, nothing is called what it is not',
  async (family) => {
    const isOfMonths = MONTH_FAMILIES.some((one) => one === family);
    const { faults, stuck } = await sumOf(family, { first: FIRST, count: isOfMonths ? MONTHS : COUNT });
    expect([...faults, ...stuck].join('\n\n')).toBe('');
  },
  LIMIT_MS,
);
