import { expect, it } from 'vitest';
import type { LogEntry } from '../../src/sandbox/log/logged.js';
import { actionsFor, clockCommand, faultCommand } from '../../src/sandbox/page/actions.js';
import { repeatCall, wrongCode } from '../../src/sandbox/page/actions.js';
import type { Call } from '../../src/sandbox/page/call.js';
import { bodyOf, createWords, otherFields, type CreateForm } from '../../src/sandbox/page/catalog.js';
import type { CompanyJson, OperationItem } from '../../src/sandbox/page/answers.js';

const KEY = 'svc_test_0';
const WEAK = { api_key: 'svc_test_1', scopes: ['balances:ver'], created_by: 'company' } as const;
const STRONG = { api_key: KEY, scopes: ['payins:crear', 'payouts:crear'], created_by: 'company' } as const;
const BARE = { name: 'default', environment: 'sandbox', balances: [], webhooks: [] } as const;
const COMPANIES: CompanyJson[] = [{ ...BARE, keys: [WEAK, STRONG] }];
const sent = ({ body }: Call): unknown => JSON.parse(body ?? 'null');

const LOGGED: LogEntry = {
  ...{ id: 7, at: '', wall_at: '', method: 'POST', path: '/sandbox/v2/payouts', endpoint: 'payouts.create' },
  ...{ company: 'default', status: 201, ms: 1, operation: null, replayed: false, fault: null, refused: null },
  idempotency_key: 'key-7',
  request: {
    headers: { authorization: 'Bearer svc_test_...0', 'idempotency-key': 'key-7', 'user-agent': 'shop/1' },
    body: '{"amount":"1.00"}',
  },
  answer: { headers: {}, body: '{}' },
};

it('a request of the log is sent again with its key and nothing of its sender but that', () => {
  expect(repeatCall(LOGGED, COMPANIES)).toEqual({
    ...{ method: 'POST', path: '/sandbox/v2/payouts', body: '{"amount":"1.00"}', key: KEY },
    headers: { 'Idempotency-Key': 'key-7' },
  });
  expect(repeatCall(LOGGED, COMPANIES, 'key-8')?.headers).toEqual({ 'Idempotency-Key': 'key-8' });
});

it('what the log does not hold whole is not sent again', () => {
  const { request } = LOGGED;
  expect(repeatCall({ ...LOGGED, endpoint: 'payins.confirm' }, COMPANIES)).toBeNull();
  expect(repeatCall({ ...LOGGED, request: { ...request, truncated: true } }, COMPANIES)).toBeNull();
});

it('a key that the log saw is taken from the company, and none where there was none', () => {
  expect(repeatCall({ ...LOGGED, company: null }, COMPANIES)).not.toHaveProperty('key');
  const bare = { ...LOGGED, request: { ...LOGGED.request, headers: {} } };
  expect(repeatCall(bare, COMPANIES)).not.toHaveProperty('key');
});

const PARTIAL = {
  ...{ name: 'm', currency: 'VES', availability: 'available', min_amount: '1.00', max_amount: null },
  fields: [
    { name: 'phone', required: true, type: 'string' },
    { name: 'document.type', required: false, type: 'string' },
    { name: 'document.number', required: false, type: 'string' },
  ],
};
const filledOf = (
  code: string,
  values: CreateForm['values'],
  beside: CreateForm['otherValues'] = {},
): CreateForm => ({
  ...{ noun: 'payins', country: 'VE', amount: '10.00' },
  ...{ method: { ...PARTIAL, code } as unknown as CreateForm['method'], values, otherValues: beside },
});
const VALUES = { phone: '0412', 'document.type': 'V', 'document.number': '' };
const BESIDE = { 'mandate.contract_id': 'C9', 'mandate.contract_date': '', reference: '-r 1' };
const PLACE = { country: 'VE', currency: 'VES', amount: '10.00' };

it('what was filled in is sent, and what is empty is not; a mandate where the method is drawn by one', () => {
  const payer = { phone: '0412', document: { type: 'V' } };
  const reference = '-r 1';
  const mandate = { contract_id: 'C9' };
  const drawn = filledOf('direct_debit', VALUES, BESIDE);
  const other = filledOf('debit_otp', VALUES, { ...BESIDE, expires_in_hours: '5' });
  expect(bodyOf(drawn)).toEqual({ ...PLACE, method: 'direct_debit', payer, mandate, reference });
  expect(bodyOf(other)).toEqual({ ...PLACE, method: 'debit_otp', payer, reference });
  const party = ['--payer', 'phone=0412', '--payer', 'document.type=V', '--reference=-r 1'];
  expect(createWords(drawn).slice(-7)).toEqual([...party, '--mandate', 'contract_id=C9']);
  expect(createWords(other).slice(-5)).toEqual(party);
  expect(bodyOf(filledOf('direct_debit', {}))).toEqual({ ...PLACE, method: 'direct_debit', payer: {} });
});

it('the form asks for each row of the table of body fields, in its kind, where the method takes it', () => {
  const shown = (noun: 'payins' | 'payouts', code: string) =>
    otherFields(noun, { ...PARTIAL, code })
      .map(({ name, type, enum: words }) => `${name}: ${words?.join('|') ?? type}`)
      .join(', ');
  const both = 'reference: text, metadata: pairs';
  const mandate = 'mandate.contract_date: date, mandate.contract_id: text';
  expect(shown('payins', 'direct_debit')).toBe(`${both}, ${mandate}`);
  expect(shown('payins', 'incoming_transfer')).toBe(`${both}, expires_in_hours: text`);
  expect(shown('payouts', 'bank_transfer')).toBe(`${both}, purpose: remittance|payroll`);
});

it.each([
  ['expires_in_hours', '48', 48, ['--expires-in-hours=48']],
  ['expires_in_hours', 'two', 'two', ['--expires-in-hours=two']],
  ['metadata', 'a=1\n\n-b=x=y', { a: '1', '-b': 'x=y' }, ['--metadata=a=1', '--metadata=-b=x=y']],
  ['metadata', 'a', 'a', ['--metadata=a']],
])('%s is sent as the table says what it holds: %j', (name, typed, sentAs, words) => {
  const filled = filledOf('incoming_transfer', {}, { [name]: typed });
  expect(bodyOf(filled)).toMatchObject({ [name]: sentAs });
  expect(createWords(filled).slice(-words.length)).toEqual(words);
});

const DELAY = { route: '*', kind: 'delay', delay_ms: 3000, count: 2 };
const AFTER = { route: 'payouts.create', kind: 'status', status: 502, after: true, count: 1 } as const;
const PENDING = { route: 'payins.confirm', kind: 'outcome', pending: true, count: 1 } as const;
it.each([
  [faultCommand(DELAY), DELAY, 'sandbox fault --route * --kind delay --count 2 --delay 3s'],
  [
    faultCommand(AFTER),
    AFTER,
    'sandbox fault --route payouts.create --kind status --count 1 --status 502 --after',
  ],
  [faultCommand(PENDING), PENDING, 'sandbox fault --route payins.confirm --kind outcome --count 1 --pending'],
  [clockCommand(3600), { advance_seconds: 3600 }, 'sandbox clock advance 3600s'],
])('the call and the words say the same: %#', ({ call, words }, body, line) => {
  expect(sent(call)).toEqual(body);
  expect(words.join(' ')).toBe(line);
});

it('the bank refuses for the reason that was chosen', () => {
  const operation = { id: 'id-1', type: 'payout', amount: '1.00' };
  const listed = {
    ...{ id: 'id-1', environment: 'sandbox', company: 'default', operation },
    waits_for: { kind: 'bank', until: null },
  } as unknown as OperationItem;
  const known = { companies: COMPANIES, code: '000000', nowMs: null };
  const fail = actionsFor(listed, known).find(({ label }) => label === 'Fail');
  const { call, words } = fail!.make('rejected/other');
  expect(sent(call)).toEqual({ status: 'failed', failure: { code: 'rejected', reason: 'other' } });
  expect(words.slice(-2)).toEqual(['--failure', 'rejected/other']);
});

it('a wrong code is never the right one', () => {
  for (const code of ['000000', '111111', '123456']) expect(wrongCode(code)).not.toBe(code);
});
