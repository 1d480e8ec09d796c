import { expect, it } from 'vitest';
import { adviceFor } from '../../src/batches/print-summary.js';
import { FAILURE_CODES, FAILURES } from '../../src/contract/failures.js';

const UNKNOWN = 'ask the service, then retry it';
const MOMENT = ['the operation could not be processed at that moment', 'retry it later'] as const;
const METHOD = 'the method is unavailable for that country and currency';
const ACCOUNT = 'beneficiary.account_number invalid';

it.each([
  ['counterparty_rejected', 'invalid_account', 'the account or phone does not exist', 'correct the account'],
  ['temporarily_unavailable', null, ...MOMENT],
  ['temporarily_unavailable', 'other', ...MOMENT],
  ['field_invalid', ACCOUNT, ACCOUNT, 'correct the field'],
  ['method_unavailable', '', METHOD, 'use another method, or retry it later'],
  ['a_code_of_tomorrow', null, 'a_code_of_tomorrow', UNKNOWN],
  ['constructor', 'toString', 'toString', UNKNOWN],
  [null, null, '', UNKNOWN],
])('of a row with the code %s and the reason %j says "%s": %s', (code, detail, reason, advice) => {
  expect(adviceFor({ code, detail })).toEqual({ reason, advice });
});

it('leads on for each reason of each code', () => {
  const lost = FAILURE_CODES.filter((code) => code !== 'rejected' && code !== 'code_rejected').flatMap(
    (code) => FAILURES[code].reasons.filter((detail) => adviceFor({ code, detail }).advice === UNKNOWN),
  );
  expect(lost).toEqual([]);
});
