import { expect, it } from 'vitest';
import { interruptedFailure } from '../../../src/payments/create/send-recorded.js';
import { Failure } from '../../../src/runtime/failure.js';

it('says the items and the advice of the error that it is made of once', () => {
  const lines = { items: ['the first', 'the second'], advice: ['Mend them.'] };
  const broken = new Failure('local_state', 'Two things are wrong.', lines);
  const typed = { typed: ['payouts', 'create'], flags: {} };
  const error = interruptedFailure(broken, 'unknown', 'key-1', typed) as Failure;
  expect(error.message).toBe('Two things are wrong.\nthe first\nthe second\nMend them.');
  expect(error.facts).toMatchObject({ outcome: 'unknown', idempotencyKey: 'key-1' });
});
