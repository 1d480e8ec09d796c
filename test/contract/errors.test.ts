import { describe, expect, it } from 'vitest';
import { readEnvelope } from '../../src/contract/errors.js';

describe('readEnvelope', () => {
  it('reads code, message and details', () => {
    const error = { code: 'field_invalid', message: 'No.', details: [{ field: 'amount', code: 'invalid' }] };
    expect(readEnvelope({ error })).toEqual(error);
  });

  it('takes a detail only whole, and one with a code that it does not know', () => {
    const details = [
      { field: 'amount' },
      { code: 'invalid' },
      { field: 1, code: 'invalid' },
      { field: 'amount', code: null },
      null,
      'amount',
      { field: 'payer.phone', code: 'unheard_of' },
    ];
    expect(readEnvelope({ error: { code: 'field_invalid', details } })?.details).toEqual([
      { field: 'payer.phone', code: 'unheard_of' },
    ]);
  });

  it.each([
    null,
    [],
    'error',
    {},
    { error: 'no' },
    { error: {} },
    { error: { code: '' } },
    { error: { code: 400 } },
  ])('finds none in %j', (body) => expect(readEnvelope(body)).toBeNull());
});
