import { expect, it } from 'vitest';
import { twinMark } from '../../src/contract/marks.js';

const PAID = {
  ...{ amount: '10.00', currency: 'VES', reference: 'salary-7' },
  beneficiary: { name: 'Ana', account_number: '04121234567', document: { type: 'V', number: '1' } },
};
const mark = (body: object): string => Buffer.from(twinMark({ ...PAID, ...body }, 'payout')).toString('hex');

it.each<[string, object]>([
  ['the amount in other digits', { amount: '10' }],
  ['the currency in small letters', { currency: 'ves' }],
  ['another reference', { reference: 'bonus-7' }],
  ['another name and document', { beneficiary: { name: 'A.', account_number: '04121234567' } }],
])('a twin has %s', (_what, body) => expect(mark(body)).toBe(mark({})));

it.each<[string, object]>([
  ['another amount', { amount: '10.01' }],
  ['another currency', { currency: 'USD' }],
  ['another account', { beneficiary: { name: 'Ana', account_number: '04121234568' } }],
])('no twin has %s', (_what, body) => expect(mark(body)).not.toBe(mark({})));
