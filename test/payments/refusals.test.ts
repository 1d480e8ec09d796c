import { expect, it } from 'vitest';
import { knownPaymentFailure } from '../../src/payments/refusals.js';

it('names no amount that is not known', () => {
  const payment = {
    ...({ operation: 'op-1', status: 'unproved', direction: 'payout', amount: null } as const),
    ...({ currency: null, atMs: null, source: { kind: 'feed' }, isOurs: true, row: null } as const),
    ...{ accountTail: null, twinMark: null },
  };
  const subject = {
    ...({ direction: 'payout', amount: '1.00', currency: 'VES', accountTail: null } as const),
    ...{ referenceMark: new Uint8Array(), twinMark: new Uint8Array() },
  };
  const refused = { subject, typed: [], flags: {}, droppedFlags: null };
  expect(knownPaymentFailure(payment, refused).facts.items).toEqual([
    'operation op-1, unproved, by somebody else (known from the events), not the same payment as this one',
  ]);
});
