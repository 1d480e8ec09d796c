import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ID, operation, PAYOUT_BODY } from '../../support/requests.js';
import { cut, json, refusal, startService, type Answer, type Service } from '../../support/service.js';
import { eachWorld } from '../../support/svc.js';

const home = eachWorld();
let service: Service;
let answer: Answer;
beforeEach(async () => {
  answer = json(200, operation());
  service = await startService((...all) => answer(...all));
});
afterEach(() => service.stop());

const api = (...words: string[]) => home.svc(['api', ...words], { env: service.env, wire: true });
const CREATE = ['POST', '/v2/payouts', '--data', PAYOUT_BODY, '--idempotency-key', 'invoice-2048'];

describe('what is sent', () => {
  it.each([
    [['/v2/new'], 'GET /sandbox/v2/new '],
    [['/v2/new?x=y', '-f', 'country=VE', '--jq', '.'], 'GET /sandbox/v2/new?x=y&country=VE '],
    [['get', '/v2/new', '-f', 'a=VE', '--field', 'x=a b&c=d'], 'GET /sandbox/v2/new?a=VE&x=a+b%26c%3Dd '],
    [['POST', '/v2/new', '-f', 'a=1', '-f', 'b.c=x'], 'POST /sandbox/v2/new {"a":"1","b":{"c":"x"}}'],
    [['PATCH', '/v2/new', '--data', '{"n":1.10}', '-f', 'a=1'], 'PATCH /sandbox/v2/new {"n":1.10,"a":"1"}'],
    [['PATCH', '/v2/new', '--data', '{"a":0}', '-f', 'a=1'], 'PATCH /sandbox/v2/new {"a":"1"}'],
    [['POST', '/v2/new', '--data', ' not json'], 'POST /sandbox/v2/new  not json'],
    [['POST', '/v2/new', '--data-file', 'FILE'], 'POST /sandbox/v2/new [1.10]'],
  ])('for %j is %s', async (words, target) => {
    const path = join(home.home, 'body');
    writeFileSync(path, '[1.10]');
    await api(...words.map((word) => word.replace('FILE', path)));
    const [{ method, target: sentTo, body }] = service.received as [Service['received'][number]];
    expect(`${method} ${sentTo} ${body}`).toBe(target);
  });

  it('carries an idempotency key where the route is a create, and nowhere else', async () => {
    const result = await api(...CREATE);
    await api('POST', '/v2/elsewhere', '--data', '{}');
    const keys = service.calls().map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(['invoice-2048', undefined]);
    expect(result.stderr).toBe('Idempotency-Key: invoice-2048\n');
  });

  it('is repeated by the rules of its route: a create with its key, an unknown POST never', async () => {
    answer = cut;
    const create = await api(...CREATE);
    expect(create).toMatchObject({ exitCode: 12 });
    expect(create.error()).toMatchObject({ next_command: 'svc requests repeat -- invoice-2048' });
    expect(service.calls()).toHaveLength(3);
    expect(await api('POST', '/v2/elsewhere', '--data', '{}')).toMatchObject({ exitCode: 12 });
    expect(service.calls()).toHaveLength(4);
    expect(await api('GET', '/v2/elsewhere')).toMatchObject({ exitCode: 11 });
    expect(service.calls()).toHaveLength(7);
  });
});

it.each([
  [['GET', 'v2/balances']],
  [['GET', '/v1/balances']],
  [['GET', '/v2/../v1']],
  [['GET', '//evil.example/v2/x']],
  [['GET', 'https://evil.example/v2/x']],
  [['GET', '/v2/x#y']],
  [['POST', '/v2//payouts', '--data', PAYOUT_BODY]],
  [['POST', '/v2/payouts/', '--data', PAYOUT_BODY, '--idempotency-key', 'invoice-2048']],
  [['PUT', '/v2/payouts', '--data', PAYOUT_BODY]],
  [['GET', '/v2/payouts']],
  [['G T', '/v2/x']],
  [['CONNECT', '/v2/x']],
  [['GET', '/v2/x', '--data', '{}']],
  [['GET', '/v2/x', '-f', 'novalue']],
  [['POST', '/v2/x', '-f', 'novalue']],
  [['GET', '/v2/x', '-f', 'a=1', '-f', 'a=2']],
  [['POST', '/v2/payouts', '--data', '{}', '--idempotency-key', 'short']],
  [['GET']],
])('%j is refused: it ends with 2, and nothing is sent', async (words) => {
  expect(await api(...words)).toMatchObject({ exitCode: 2, stdout: '' });
  expect(service.received).toEqual([]);
});

const before = (members: string): string => PAYOUT_BODY.replace('{', `{${members},`);
const changed = (from: string, to: string): string => {
  expect(PAYOUT_BODY).toContain(from);
  return PAYOUT_BODY.replace(from, to);
};

describe('a create that is written by hand', () => {
  it.each([
    ['a number as reference', before('"reference":17'), 'reference is not valid'],
    ['a list as reference', before('"reference":["a"]'), 'reference is not valid'],
    ['an invisible character in the reference', before('"reference":"a\u200b1"'), 'an invisible character'],
    ['a reference twice', before('"reference":"a","reference":"a"'), '--data has reference twice'],
    ['twice inside', changed('"type":"V"', '"type":"V","typ\\u0065":"E"'), 'beneficiary.document.type twice'],
    ['an amount as a number', changed('"5.00"', '5.00'), 'amount 5 is not valid. Use digits'],
    ['an amount with a comma', changed('"5.00"', '"5,00"'), 'amount "5,00" is not valid. Use digits'],
    ['an amount with a sign', changed('"5.00"', '"+5.00"'), 'amount "+5.00" is not valid'],
    ['a country in words', changed('"VE"', '"VENEZUELA"'), 'country "VENEZUELA" is not valid'],
    ['a currency as a number', changed('"VES"', '928'), 'currency 928 is not valid'],
    ['a method that is no text', changed('"mobile_payment"', '["mobile_payment"]'), 'method is not valid'],
    ['a purpose of its own', before('"purpose":"rent"'), 'Use remittance or payroll'],
    ['metadata as text', before('"metadata":"a=1"'), 'metadata is not valid. Use a JSON object'],
    ['metadata that is too long', before(`"metadata":{"a":"${'x'.repeat(4096)}"}`), 'metadata is not valid'],
    ['another spelling', before('"Reference":"a"'), 'Unknown field: Reference. Known fields: amount'],
    ['a document as a number', changed('"12345678"', '12345678'), 'beneficiary.document.number is not valid'],
    ['a bank as a number', changed('"0102"', '102'), 'beneficiary.bank_code is not valid'],
    ['a document as text', changed('{"type":"V","number":"12345678"}', '"V1"'), 'document is not valid'],
    ['a text as a group', changed('"0102"', '{"code":"0102"}'), 'beneficiary.bank_code is not valid'],
    ['an unknown flag', changed('"bank_code"', '"new":true,"bank_code"'), 'beneficiary.new is not'],
    ['a list', `[${PAYOUT_BODY}]`, 'is not a JSON object'],
    ['something behind it', `${PAYOUT_BODY}{}`, 'is not valid JSON'],
    ['a byte order mark', `\ufeff${PAYOUT_BODY}`, 'byte order mark'],
    ['half of it', PAYOUT_BODY.slice(0, -1), 'see line 1, column 185'],
  ])('is refused with %s', async (_what, body, text) => {
    for (const more of [[], ['--idempotency-key', 'invoice-2048']]) {
      const refused = await api('POST', '/v2/payouts', '--data', body, ...more);
      expect(refused, refused.stderr).toMatchObject({ exitCode: 2, stdout: '' });
      const { message, outcome } = refused.error();
      expect(outcome).toBe('not_sent');
      expect(message).toContain(text);
      expect(String(message).replaceAll(/--data\b/g, '')).not.toMatch(/\(?--|1234567/);
    }
    expect(service.calls()).toEqual([]);
  });

  it.each([
    ['with a query', ['POST', '/v2/payouts?dry=1', '--data', before('"reference":17')]],
    ['in small letters', ['post', '/v2/payouts', '--data', before('"reference":17')]],
    ['from flags', ['POST', '/v2/payouts', '-f', 'expires_in_hours=24']],
    ['from flags over data', ['POST', '/v2/payins', '-f', 'a.b=1', '--data', '{"a":{"c":1,"c":2}}']],
    ['a pay-in', ['POST', '/v2/payins', '--data', '{"mandate":{"contract_id":17},"method":"direct_debit"}']],
    ['with hours as text', ['POST', '/v2/payins', '--data', '{"expires_in_hours":"24"}']],
    ['with a mandate for others', ['POST', '/v2/payins', '--data', '{"method":"debit_otp","mandate":{}}']],
  ])('is refused too: %s', async (_how, words) => {
    expect(await api(...words)).toMatchObject({ exitCode: 2, stdout: '' });
    expect(service.calls()).toEqual([]);
  });

  it.each([
    ['nothing', []],
    ['an empty object', ['--data', '{}']],
    ['gaps', ['--data', '{"reference":"a","amount":"","country":null}']],
    ['what the catalog declares', ['--data', changed('"V"', '"?"').replace('"0102"', '"no bank"')]],
    ['a method that the catalog may have', ['--data', changed('mobile_payment', 'pigeon')]],
    ['an address', ['--data', changed('"bank_code"', '"address":{"zip":"1010"},"bank_code"')]],
    ['members and no data', ['-f', 'amount=5.00', '-f', 'beneficiary.document.number=1']],
  ])('goes to the service with %s', async (_what, words) => {
    answer = refusal(400, 'field_required');
    expect(await api('POST', '/v2/payouts', ...words)).toMatchObject({ exitCode: 6 });
    expect(service.calls()).toHaveLength(1);
  });

  it('has no name twice anywhere else either', async () => {
    const path = `/v2/payins/${ID}/confirm`;
    expect(await api('POST', path, '--data', '{"code":"1234","code":"5678"}')).toMatchObject({ exitCode: 2 });
    expect(await api('PATCH', '/v2/new', '--data', '[{"a":{"b":1,"b":2}}]')).toMatchObject({ exitCode: 2 });
    expect(service.calls()).toEqual([]);
  });
});

it('refuses another spelling of a path, and says the right one', async () => {
  const refused = await api('POST', '/v2/%70ayouts', '--data', PAYOUT_BODY, '--json');
  expect(refused.error()).toMatchObject({ code: 'usage', outcome: 'not_sent' });
  expect(refused.error()['message']).toContain('path as /v2/payouts. Write that path instead');
});

it.each([
  [['/v2/payouts', '--data', '{}'], 'Name the method before the path, such as POST. Nothing was sent.'],
  [['/v2/payouts', '--data-file', '/dev/null'], 'Name the method before the path'],
  [['/v2/payouts', '--data', '@-'], '--data takes JSON, @FILE, or - for standard input. Nothing was sent.'],
  [['POST', '/v2/payouts', '--data', '@'], '--data takes JSON, @FILE, or -'],
  [['GET', '/v2/banks', '--jq'], '--jq needs a value: --jq EXPR (filter the JSON'],
  [['GET'], 'PATH is missing. Nothing was sent.\nFor example: svc api GET /v2/balances'],
  [['GET', '/balances'], 'stay below it. Did you mean /v2/balances? Nothing was sent.'],
  [['GET', 'v2/balances?x=1'], 'stay below it. Did you mean /v2/balances? Nothing was sent.'],
  [['GET', '/elsewhere'], 'stay below it. Nothing was sent.'],
])('%j is answered with what was meant', async (words, text) => {
  expect(String((await api(...words)).error()['message'])).toContain(text);
});

describe('what comes back', () => {
  it('is the wrong method of whoever typed it, where nobody promised another answer', async () => {
    answer = refusal(405, 'method_not_allowed');
    const ended = await api('PUT', '/v2/elsewhere', '--json');
    expect([ended.exitCode, service.calls()]).toMatchObject([2, [{}]]);
    expect(ended.error()).toMatchObject({ code: 'method_not_allowed', outcome: 'sent', status: 405 });
  });

  it('is printed whatever it is', async () => {
    const raw = '{"x":1.10,"x":2, "n":12345678901234567890,"t":"\\u00e9\u001b[0m" }';
    for (const text of ['not json\n\tat all', raw]) {
      answer = (_received, response) => void response.end(text);
      expect(await api('GET', '/v2/x')).toMatchObject({ exitCode: 0, stdout: text, stderr: '' });
    }
  });

  it('is nothing where nothing came', async () => {
    answer = (_received, response) => void response.writeHead(204).end();
    expect(await api('DELETE', '/v2/x')).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('is filtered by --jq', async () => {
    expect((await api('GET', '/v2/x', '--jq', '.amount')).stdout).toBe('5.00\n');
  });
});
