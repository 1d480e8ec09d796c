import { describe, expect, it } from 'vitest';
import { adviceFor } from '../../src/batches/print-summary.js';
import { FAILURE_CODES, FAILURES } from '../../src/contract/failures.js';

const UNKNOWN = 'ask the service, then retry it';

describe('a row that failed', () => {
  it('says what the reason means, and what to do about that', () => {
    expect(adviceFor({ code: 'counterparty_rejected', detail: 'invalid_account' })).toEqual({
      reason: 'the account or phone does not exist',
      advice: 'correct the account',
    });
  });

  it.each([null, 'other'])('without a reason (%s) says what its code means', (detail) => {
    expect(adviceFor({ code: 'temporarily_unavailable', detail })).toEqual({
      reason: 'the operation could not be processed at that moment',
      advice: 'retry it later',
    });
  });

  it('for each reason of each code leads on', () => {
    const lost = FAILURE_CODES.filter((code) => code !== 'rejected' && code !== 'code_rejected').flatMap(
      (code) => FAILURES[code].reasons.filter((detail) => adviceFor({ code, detail }).advice === UNKNOWN),
    );
    expect(lost).toEqual([]);
  });
});

describe('a row that was rejected', () => {
  it('names its fields, or says what the service said', () => {
    expect(adviceFor({ code: 'field_invalid', detail: 'beneficiary.account_number invalid' })).toEqual({
      reason: 'beneficiary.account_number invalid',
      advice: 'correct the field',
    });
    expect(adviceFor({ code: 'method_unavailable', detail: '' })).toMatchObject({
      reason: 'the method is unavailable for that country and currency',
      advice: 'use another method, or retry it later',
    });
  });

  it.each([
    ['a_code_of_tomorrow', null, 'a_code_of_tomorrow'],
    ['constructor', 'toString', 'toString'],
    [null, null, ''],
  ])('for what is not known (%s, %s) says what there is', (code, detail, reason) => {
    expect(adviceFor({ code, detail })).toEqual({ reason, advice: UNKNOWN });
  });
});
