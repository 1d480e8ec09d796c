import { describe, expect, it } from 'vitest';
import {
  parsePolicy,
  POLICY_MAX_BYTES,
  PolicyUnusable,
  SIGNERS_FILE,
} from '../../../src/session/guard/policy.js';

const parse = (text: string | Uint8Array) => parsePolicy(Buffer.from(text));

function wrongWith(text: string | Uint8Array): { code: string; problems: string[] } {
  try {
    parse(text);
  } catch (error) {
    if (!(error instanceof PolicyUnusable)) throw error;
    return { code: error.code, problems: error.problems.map(({ sentence }) => sentence) };
  }
  return { code: 'none', problems: [] };
}

const wrongIn = (members: object) => wrongWith(JSON.stringify({ version: 1, ...members })).problems;

describe('a policy', () => {
  it('is read with all that it may say', () => {
    const hours = { timezone: 'America/Caracas', days: ['mon'], from: '08:00', to: '24:00' };
    const VES = { operation_max: '5000.00', batch_max: '20000', free_up_to: '0' };
    const policy = parse(
      JSON.stringify({
        version: 1,
        contact: 'treasury desk',
        addresses: ['https://API.example.com:443/pay/', 'http://127.0.0.1:4010'],
        payouts: {
          ...{ allow: 'all', methods: ['mobile_payment'], currencies: { VES, USD: {} } },
          ...{ approvals: 2, hours },
        },
        payins: { allow: 'cancel' },
        approvals: { signers: '/etc/svc/treasury', valid_for: '2d' },
        webhooks: 'register',
      }),
    );
    expect(policy).toEqual({
      contact: 'treasury desk',
      addresses: ['https://api.example.com/pay', 'http://localhost:4010'],
      payouts: {
        ...{ allow: 'all', methods: ['mobile_payment'] },
        currencies: new Map([
          ['VES', { operationMax: '5000.00', batchMax: '20000', freeUpTo: '0' }],
          ['USD', { operationMax: null, batchMax: null, freeUpTo: null }],
        ]),
        ...{ approvals: 2, hours },
      },
      payins: { allow: 'cancel', methods: null, currencies: null, approvals: 0, hours: null },
      approvals: { signers: '/etc/svc/treasury', validForMs: 172_800_000 },
      webhooks: 'register',
    });
  });

  it('that says nothing but its version leaves reads alone', () => {
    const closed = { allow: 'read', methods: null, currencies: null, approvals: 0, hours: null };
    expect(parse('{"version":1}')).toEqual({
      ...{ contact: null, addresses: null, payouts: closed, payins: closed },
      ...{ approvals: { signers: SIGNERS_FILE, validForMs: 259_200_000 }, webhooks: 'none' },
    });
  });
});

const ADDRESS = 'addresses.0 must be an address, such as "https://api.example.com".';
const ADDRESSES = 'addresses must be a list of at least one address, such as ["https://api.example.com"].';
const VALID_FOR = 'approvals.valid_for must be a time from "1h" to "90d", in hours (h) or days (d).';
const METHODS = 'payouts.methods must be a list of at least one method, such as ["mobile_payment"].';
const LATER = 'to must be a time of the day that is later than "from", at most "24:00".';
const UNKNOWN = 'not known: what may stand there is';
const REST = 'addresses, payouts, payins, approvals, webhooks';
const NO_CURRENCY = 'not a currency: its name must be three capitals, such as VES.';

describe('what is no policy', () => {
  it.each([
    ['', 'The file is empty.'],
    ['\ufeff{"version":1}', 'The file begins with a byte order mark.'],
    [Buffer.from([0x7b, 0xff]), 'The file is not UTF-8.'],
    ['{"version":1', 'The file is not JSON.'],
    ['{"version":1} {}', 'The file is not JSON.'],
    ['// ours\n{"version":1}', 'The file is not JSON.'],
    ['null', 'The file must hold an object: {"version":1}.'],
    ['[]', 'The file must hold an object: {"version":1}.'],
    ['{"version":1,"payouts":{"allow":"read","allow":"all"}}', 'The file has payouts.allow twice.'],
    ['{"version":1,"payouts":{"allow":"read","\\u0061llow":"all"}}', 'The file has payouts.allow twice.'],
    ['{}', 'version is missing: it must be 1.'],
    ['{"version":0}', 'version must be 1.'],
    ['{"version":"1"}', 'version must be 1.'],
    ['{"version":1.5}', 'version must be 1.'],
    ['{"version":true}', 'version must be 1.'],
  ])('%s', (text, sentence) => {
    expect(wrongWith(text)).toEqual({ code: 'policy_unreadable', problems: [sentence] });
  });

  it('is larger than 256 KiB, whatever it holds, or deep', () => {
    const text = '{"version":1}';
    const fill = (bytes: number) => text + ' '.repeat(bytes - text.length);
    expect(wrongWith(fill(POLICY_MAX_BYTES)).code).toBe('none');
    expect(wrongWith(fill(POLICY_MAX_BYTES + 1)).problems).toEqual(['The file is larger than 256 KiB.']);
    const deep = '['.repeat(5000) + ']'.repeat(5000);
    expect(wrongWith(`{"version":1,"contact":${deep}}`).problems).toEqual(['The file nests too deep.']);
  });

  it('is one of a newer version, whatever else it holds', () => {
    expect(wrongWith('{"version":2,"limits":[]}')).toEqual({
      code: 'policy_newer',
      problems: ['version is 2, and this svc knows 1: a newer svc reads it.'],
    });
  });

  it.each<[object, string]>([
    [{ payout: { allow: 'all' } }, `payout is ${UNKNOWN} version, contact, ${REST}.`],
    [
      JSON.parse('{"__proto__":{"payouts":1}}') as object,
      `__proto__ is ${UNKNOWN} version, contact, ${REST}.`,
    ],
    [{ payouts: {} }, 'payouts.allow is missing: it must be one of "read", "cancel", "all".'],
    [{ payouts: { allow: 'none' } }, 'payouts.allow must be one of "read", "cancel", "all".'],
    [{ payouts: [] }, 'payouts must be an object.'],
    [{ payouts: null }, 'payouts must be an object.'],
    [{ addresses: null }, ADDRESSES],
    [{ addresses: [] }, ADDRESSES],
    [{ addresses: ['https://a:b@api.example.com'] }, ADDRESS],
    [{ addresses: ['https://api.example.com/v2'] }, ADDRESS],
    [{ addresses: ['https://api.example.com/sandbox/'] }, ADDRESS],
    [{ addresses: ['http://api.example.com'] }, ADDRESS],
    [{ addresses: ['https://api.example.com?x=1'] }, ADDRESS],
    [{ addresses: ['http://localhost.example.com'] }, ADDRESS],
    [{ contact: ' ' }, 'contact must be text of 1 to 200 characters.'],
    [{ contact: 'x'.repeat(201) }, 'contact must be text of 1 to 200 characters.'],
    [{ webhooks: 'all' }, 'webhooks must be one of "none", "register".'],
    [
      { approvals: { signers: 'allowed_signers' } },
      'approvals.signers must be the path of a file, from / on.',
    ],
    [{ approvals: { valid_for: '72' } }, VALID_FOR],
    [{ approvals: { valid_for: '0h' } }, VALID_FOR],
    [{ approvals: { valid_for: '91d' } }, VALID_FOR],
    [
      { payins: { allow: 'all', approvals: 1 } },
      `payins.approvals is ${UNKNOWN} allow, methods, currencies, hours.`,
    ],
    [
      { payins: { allow: 'all', currencies: { VES: { free_up_to: '1' } } } },
      `payins.currencies.VES.free_up_to is ${UNKNOWN} operation_max, batch_max.`,
    ],
  ])('%j', (members, sentence) => expect(wrongIn(members)).toEqual([sentence]));

  it.each<[object, string]>([
    [{ approvals: 6 }, 'payouts.approvals must be a whole number from 0 to 5.'],
    [{ approvals: '2' }, 'payouts.approvals must be a whole number from 0 to 5.'],
    [{ methods: [] }, METHODS],
    [{ methods: 'mobile_payment' }, METHODS],
    [{ methods: [''] }, 'payouts.methods.0 must be the code of a method, such as "mobile_payment".'],
    [{ currencies: { ves: {} } }, `payouts.currencies.ves is ${NO_CURRENCY}`],
    [{ currencies: { constructor: {} } }, `payouts.currencies.constructor is ${NO_CURRENCY}`],
    [
      { currencies: [] },
      'payouts.currencies must be an object with a member for each currency, such as {"VES":{}}.',
    ],
    [{ currencies: { VES: null } }, 'payouts.currencies.VES must be an object.'],
    ...[5000, '5,000.00', '-1', '1e3', '007', '', '5000.', null].map((amount): [object, string] => [
      { currencies: { VES: { operation_max: amount } } },
      'payouts.currencies.VES.operation_max must be an amount in quotes, such as "5000.00".',
    ]),
    [
      { currencies: { VES: { operations_max: '5' } } },
      `payouts.currencies.VES.operations_max is ${UNKNOWN} operation_max, batch_max, free_up_to.`,
    ],
  ])('payouts %j', (members, sentence) => {
    expect(wrongIn({ payouts: { allow: 'all', ...members } })).toEqual([sentence]);
  });

  const hours = { timezone: 'America/Caracas', days: ['mon'], from: '08:00', to: '18:00' };
  it.each<[object, string]>([
    [{ timezone: 'Caracas' }, 'timezone must be the name of a time zone, such as "America/Caracas".'],
    [{ days: [] }, 'days must be a list of at least one of mon, tue, wed, thu, fri, sat, sun.'],
    [{ days: ['monday'] }, 'days.0 must be one of "mon", "tue", "wed", "thu", "fri", "sat", "sun".'],
    [{ from: '8:00' }, 'from must be a time of the day, from "00:00" to "23:59".'],
    [{ from: '24:00' }, 'from must be a time of the day, from "00:00" to "23:59".'],
    [{ to: '24:01' }, LATER],
    [{ to: '08:00' }, LATER],
    [{ from: '22:00', to: '06:00' }, LATER],
    [
      { timezone: undefined },
      'timezone is missing: it must be the name of a time zone, such as "America/Caracas".',
    ],
  ])('hours %j', (members, sentence) => {
    expect(wrongIn({ payouts: { allow: 'all', hours: { ...hours, ...members } } })).toEqual([
      `payouts.hours.${sentence}`,
    ]);
  });

  it('is told with all that is wrong, in the order of the document', () => {
    expect(wrongIn({ payouts: { allow: 'some', approvals: 9 }, webhooks: 1, limits: {} })).toHaveLength(4);
  });
});
