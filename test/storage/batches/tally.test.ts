import { describe, expect, it } from 'vitest';
import type { RowState } from '../../../src/storage/batches/row-state.js';
import {
  assertBalanced,
  counts,
  moneyByCurrency,
  pendingReasons,
} from '../../../src/storage/batches/tally.js';
import type { TallyEntry } from '../../../src/storage/batches/row.js';

const entry = (state: RowState, rows: number, minor: bigint, currency = 'VES'): TallyEntry => ({
  ...{ currency, state, isSkipped: false, reason: null, rows, minor },
});
const TOTALS = {
  rows: 4,
  currencies: new Map([
    ['VES', { decimals: 2, rows: 3, minor: 6000n }],
    ['KWD', { decimals: 3, rows: 1, minor: 1500n }],
  ]),
};
const WHOLE = [entry('confirmed', 2, 4000n), entry('failed', 1, 2000n), entry('unknown', 1, 1500n, 'KWD')];

describe('the books', () => {
  it('balance where every row and all money is somewhere', () => {
    expect(() => assertBalanced(TOTALS, WHOLE)).not.toThrow();
  });

  it.each<[string, TallyEntry[]]>([
    ['a row is gone', [entry('confirmed', 1, 4000n), ...WHOLE.slice(1)]],
    ['a minor unit is gone', [entry('confirmed', 2, 3999n), ...WHOLE.slice(1)]],
    ['a minor unit is too much', [entry('confirmed', 2, 4001n), ...WHOLE.slice(1)]],
    ['a currency is gone', WHOLE.slice(0, 2)],
    ['a currency was never planned', [...WHOLE, entry('planned', 1, 1n, 'USD')]],
    [
      'money went from one currency to the other',
      [entry('confirmed', 2, 4100n), WHOLE[1]!, entry('unknown', 1, 1400n, 'KWD')],
    ],
  ])('do not where %s', (_what, tally) => {
    expect(() => assertBalanced(TOTALS, tally)).toThrow('do not balance');
  });

  it('count every row once, and say the money of each currency with its decimals', () => {
    expect(counts(WHOLE)).toEqual({
      ...{ confirmed: 2, earlier: 0, pending: 0, failed: 1, rejected: 0, unknown: 1, not_sent: 0 },
    });
    expect(moneyByCurrency(TOTALS, WHOLE)).toMatchObject({
      VES: { total: '60.00', confirmed: '40.00', failed: '20.00', unknown: '0.00' },
      KWD: { total: '1.500', confirmed: '0.000', unknown: '1.500' },
    });
  });

  it('count what was left out as pending until it is paid, and it is one row all the same', () => {
    const skipped = { ...entry('earlier', 1, 2000n), isSkipped: true };
    const tally = [entry('confirmed', 2, 4000n), { ...skipped, reason: 'skipped_pending' }, WHOLE[2]!];
    expect(() => assertBalanced(TOTALS, tally)).not.toThrow();
    expect(counts(tally)).toMatchObject({ confirmed: 2, earlier: 0, pending: 1, unknown: 1 });
    expect(moneyByCurrency(TOTALS, tally)['VES']).toMatchObject({ pending: '20.00', earlier: '0.00' });
    expect(pendingReasons(tally)).toEqual({ skipped_pending: 1 });
    expect(counts([skipped])).toMatchObject({ earlier: 1, pending: 0 });
  });
});
