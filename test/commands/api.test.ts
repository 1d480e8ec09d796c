/** `svc api`: any request below /v2, by the rules of any other request; the answer's bytes and nothing else. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operation, PAYOUT_BODY } from '../support/requests.js';
import { cut, json, refusal, startService, type Answer, type Service } from '../support/service.js';
import { world, type World } from '../support/svc.js';

let home: World;
let service: Service;
let answer: Answer;
beforeEach(async () => {
  home = world();
  answer = json(200, operation());
  service = await startService((...all) => answer(...all));
});
afterEach(async () => {
  home.remove();
  await service.stop();
});

const api = (...words: string[]) => home.svc(['api', ...words], { env: service.env, wire: true });
const targets = (): string[] =>
  service.received.map(({ method, target, body }) => `${method} ${target} ${body}`);

describe('what is sent', () => {
  it('-f is the query of a GET', async () => {
    await api('get', '/v2/new?direction=payin', '-f', 'country=VE', '--field', 'x=a b&c=d');
    expect(targets()).toEqual(['GET /sandbox/v2/new?direction=payin&country=VE&x=a+b%26c%3Dd ']);
  });

  it('-f is the body of anything else, over --data', async () => {
    await api('POST', '/v2/new', '-f', 'a=1', '-f', 'b.c=x');
    await api('PATCH', '/v2/new', '--data', '{"a":0,"n":1.10}', '-f', 'a=1');
    expect(targets()).toEqual([
      'POST /sandbox/v2/new {"a":"1","b":{"c":"x"}}',
      'PATCH /sandbox/v2/new {"a":"1","n":1.10}',
    ]);
  });

  it('--data and --data-file are sent byte for byte, whatever they are', async () => {
    const path = join(home.home, 'body');
    writeFileSync(path, '[1.10]');
    await api('POST', '/v2/new', '--data', ' not json');
    await api('POST', '/v2/new', '--data-file', path);
    expect(targets()).toEqual(['POST /sandbox/v2/new  not json', 'POST /sandbox/v2/new [1.10]']);
  });

  it('carries an idempotency key where the route is a create, and nowhere else', async () => {
    const result = await api(
      'POST',
      '/v2/payouts',
      '--data',
      PAYOUT_BODY,
      '--idempotency-key',
      'invoice-2048',
    );
    await api('POST', '/v2/elsewhere', '--data', '{}');
    expect(service.calls().map(({ headers }) => headers['idempotency-key'])).toEqual([
      'invoice-2048',
      undefined,
    ]);
    expect(result.stderr).toBe('Idempotency-Key: invoice-2048\n');
  });

  it('is repeated by the rules of its route: a create with its key, an unknown POST never', async () => {
    answer = cut;
    const create = await api(
      'POST',
      '/v2/payouts',
      '--data',
      PAYOUT_BODY,
      '--idempotency-key',
      'invoice-2048',
    );
    expect(create).toMatchObject({ exitCode: 12 });
    expect(create.error()).toMatchObject({ next_command: 'svc requests repeat -- invoice-2048' });
    expect(service.calls()).toHaveLength(3);
    expect(await api('POST', '/v2/elsewhere', '--data', '{}')).toMatchObject({ exitCode: 12 });
    expect(service.calls()).toHaveLength(4);
    expect(await api('GET', '/v2/elsewhere')).toMatchObject({ exitCode: 11 });
    expect(service.calls()).toHaveLength(7);
  });
});

describe('what is refused', () => {
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
    [['POST', '/v2/payouts', '--data', '{}', '--idempotency-key', 'short']],
    [['GET']],
  ])('%j ends with 2, and nothing is sent', async (words) => {
    expect(await api(...words)).toMatchObject({ exitCode: 2, stdout: '' });
    expect(service.received).toEqual([]);
  });
});

it('refuses another spelling of a path, and says the right one', async () => {
  const refused = await api('POST', '/v2/%70ayouts', '--data', PAYOUT_BODY, '--json');
  expect(refused.error()).toMatchObject({ code: 'usage', outcome: 'not_sent' });
  expect(refused.error()['message']).toContain('path as /v2/payouts. Write that path instead');
});

it.each([
  [['/v2/balances'], 'METHOD is missing. Nothing was sent.\nFor example: svc api GET /v2/balances'],
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
    answer = (_received, response) => void response.end('not json\n\tat all');
    expect(await api('GET', '/v2/x')).toMatchObject({ exitCode: 0, stdout: 'not json\n\tat all' });
  });

  it('is nothing where nothing came', async () => {
    answer = (_received, response) => void response.writeHead(204).end();
    expect(await api('DELETE', '/v2/x')).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('is filtered by --jq', async () => {
    expect((await api('GET', '/v2/x', '--jq', '.amount')).stdout).toBe('5.00\n');
  });
});
