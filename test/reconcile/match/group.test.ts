import { describe, expect, it } from 'vitest';
import type { ComparedOperation, LedgerLine } from '../../../src/reconcile/line.js';
import { ledgerLine, operation, reconciled } from './given.js';

async function bothWays(
  lines: readonly LedgerLine[],
  operations: readonly ComparedOperation[],
): Promise<readonly [unknown, unknown]> {
  const told = async (some: readonly LedgerLine[]): Promise<unknown> => {
    const numbered = some.map((line, at) => ({ ...line, line: at + 2 }));
    const { findings } = await reconciled(numbered, operations);
    return findings.map(({ class: kind, here, there }) => [
      kind,
      here.map((one) => ({ ...one, line: 0 })),
      there,
    ]);
  };
  return [await told(lines), await told(lines.toReversed())];
}

describe('a ledger that is turned around gives the same findings in the same order', () => {
  it('where lines differ in nothing but their direction', async () => {
    const same = { reference: 'nobody' };
    const lines = [
      ledgerLine(2, { ...same, direction: 'payin' }),
      ledgerLine(3, { ...same, direction: 'payout' }),
    ];
    const [one, other] = await bothWays(lines, [operation(9)]);
    expect(other).toEqual(one);
  });

  it('where several lines may mean several operations', async () => {
    const same = { reference: 'order-1', bankReference: 'b' };
    const lines = [ledgerLine(2, { ...same, amount: '9.99' }), ledgerLine(3, { ...same, amount: '3.00' })];
    const [one, other] = await bothWays(lines, [
      operation(1, { amount: '1.00' }),
      operation(2, { reference: 'order-1', amount: '2.00' }),
    ]);
    expect(one).toMatchObject([['ambiguous', [{}, {}], [{}, {}]]]);
    expect(other).toEqual(one);
  });
});
