/** `svc doctor --contract`: what a service answers beside what is published, by reads alone. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { endpoint, ENDPOINT_IDS } from '../../src/contract/endpoints.js';
import { NotAnswered, type Transport } from '../../src/runtime/transport.js';
import { debitOtp, payout } from '../support/requests.js';
import { shakySandbox, type ShakySandbox } from '../support/shaky-sandbox.js';
import { world, type Result, type World } from '../support/svc.js';

interface Check {
  readonly check: string;
  readonly status: string;
  readonly message: string;
}

let here: World;
let service: ShakySandbox;
beforeEach(async () => {
  here = world();
  service = shakySandbox(here.clock);
  const options = { env: service.env, transport: service.transport };
  const { json } = await here.svc(debitOtp(), options);
  await here.svc(['payins', 'confirm', String(json()['id']), '--code', service.sandbox.code], options);
  await here.svc(payout('00000001'), options);
  await here.svc('sandbox clock advance 1h', options);
});
afterEach(() => here.remove());

/** Its answers, with what a path holds replaced. */
const altered =
  (path: string, change: (text: string) => string): Transport =>
  async (request, options) => {
    const answer = await service.transport(request, options);
    if (!new URL(request.url).pathname.endsWith(path)) return answer;
    return { ...answer, body: Buffer.from(change(Buffer.from(answer.body).toString())) };
  };

async function doctor(
  transport: Transport = service.transport,
): Promise<Result & { checks: Map<string, Check> }> {
  const result = await here.svc('doctor --contract', { env: service.env, transport });
  const { checks } = result.json() as { checks: Check[] };
  return { ...result, checks: new Map(checks.map((one) => [one.check, one])) };
}

it('finds nothing in the sandbox, and sends reads alone', async () => {
  const methods: string[] = [];
  const { exitCode, checks } = await doctor((request, options) => {
    methods.push(request.method);
    return service.transport(request, options);
  });
  expect(exitCode).toBe(0);
  const compared = [...checks.values()].filter(({ check }) => check.startsWith('contract '));
  const reads = ENDPOINT_IDS.filter((id) => {
    const { retry, path, result } = endpoint(id);
    return retry === 'safe' && (!path.includes('{id}') || result === 'operation');
  });
  expect(compared.map(({ check, message }) => `${check}: ${message}`).sort()).toEqual(
    reads.map((id) => `contract ${id}: as published`).sort(),
  );
  expect(new Set(methods)).toEqual(new Set(['GET']));
});

it('names members and words that it does not know, and values of nobody', async () => {
  const grown = altered('/v2/events', (text) =>
    text
      .replaceAll('"concept":', '"settled_by":"a person","concept":')
      .replaceAll('"status":"failed"', '"status":"frozen"'),
  );
  const { exitCode, stdout, checks } = await doctor(grown);
  expect(exitCode).toBe(0);
  expect(checks.get('contract events.list')).toMatchObject({
    status: 'warning',
    message:
      'The answer has what the contract does not know: events[].data.settled_by, events[].data.status "frozen".',
  });
  expect(stdout).not.toContain('a person');
});

it('is an error where the contract is not kept', async () => {
  const broken = altered('/v2/balances', (text) =>
    text.replaceAll(/"reserved":"[^"]*"/g, '"held":1').replaceAll(/"available":"[^"]*"/g, '"available":1'),
  );
  const { exitCode, checks } = await doctor(broken);
  expect(exitCode).toBe(1);
  expect(checks.get('contract balances')).toMatchObject({
    status: 'error',
    message:
      'The answer does not keep to the contract: balances[].reserved is missing, balances[].available is of another form. The answer has what the contract does not know: balances[].held.',
  });
});

it('names an error code that it does not know', async () => {
  const transport: Transport = async (request, options) => {
    const answer = await service.transport(request, options);
    return answer.status === 404
      ? { ...answer, body: Buffer.from('{"error":{"code":"operation_unknown","message":"No."}}') }
      : answer;
  };
  expect((await doctor(transport)).checks.get('contract transactions.get')).toMatchObject({
    status: 'warning',
    message:
      'not compared: the service answered 404 (operation_unknown). The answer has what the contract does not know: error.code "operation_unknown".',
  });
});

/** Another answer than the service's, to requests of a path. */
const instead =
  (path: string, status: number, body: string): Transport =>
  (request, options) =>
    new URL(request.url).pathname.endsWith(path)
      ? Promise.resolve({ status, headers: [], body: Buffer.from(body) })
      : service.transport(request, options);

it.each([
  ['a reason beneath its code', '"reason":"invalid_account"', '"reason":"asleep"', 'failure.reason "asleep"'],
  ['what a final operation has', '"confirmed_at":', '"settled":', 'confirmed_at is missing'],
  [
    'a uuid',
    /"id":"[0-9a-f-]{36}","type":"payin"/g,
    '"id":"one","type":"payin"',
    'data.id is of another form',
  ],
  ['a moment', /"created_at":"[^"]*"/g, '"created_at":"yesterday"', 'created_at is of another form'],
])('holds an answer to %s', async (_what, before, after, said) => {
  const { checks } = await doctor(altered('/v2/events', (text) => text.replaceAll(before, after)));
  expect(checks.get('contract events.list')?.message).toContain(said);
});

it('takes null for absent where a member may be absent, and a list for the answer that holds it', async () => {
  const nulls = altered('/v2/events', (text) => text.replaceAll('"concept":', '"reference":null,"concept":'));
  expect((await doctor(nulls)).checks.get('contract events.list')).toMatchObject({ message: 'as published' });
  const bare = altered('/v2/banks', (text) => JSON.stringify((JSON.parse(text) as { banks: object }).banks));
  expect((await doctor(bare)).checks.get('contract banks')).toMatchObject({ message: 'as published' });
});

it.each([
  ['balances', 'balances'],
  ['methods', 'methods'],
  ['capabilities', 'config_version'],
])('misses in an empty answer to %s the member %s', async (row, member) => {
  const empty =
    row === 'capabilities'
      ? altered('/v2/capabilities', (text) => text.replace('"config_version"', '"v"'))
      : instead(`/v2/${row}`, 200, '{}');
  const { exitCode, checks } = await doctor(empty);
  expect(exitCode).toBe(1);
  expect(checks.get(`contract ${row}`)?.message).toContain(`${member} is missing`);
});

it.each([
  [
    403,
    '{"error":{"code":"scope_missing","message":"No."}}',
    'warning',
    'not compared: the service answered 403 (scope_missing).',
  ],
  [403, '{"error":{"code":"key_asleep","message":"No."}}', 'warning', 'error.code "key_asleep"'],
  [503, '{"error":{"code":"maintenance","message":"No."}}', 'warning', 'error.code "maintenance"'],
  [302, '', 'error', 'not compared: the service answered 302.'],
  [200, '<html>', 'error', 'not compared: the service answered 200.'],
])('says that an answer was %s with %s', async (status, body, is, said) => {
  const { checks } = await doctor(instead('/v2/balances', status, body));
  const { status: found, message } = checks.get('contract balances')!;
  expect(found).toBe(is);
  expect(message).toContain(said);
});

it('says what it could not compare, and compares nothing where nobody answers', async () => {
  const refused: Transport = (request, options) =>
    request.url.includes('/v2/balances')
      ? Promise.reject(new NotAnswered('reset', true, 'cut'))
      : service.transport(request, options);
  expect((await doctor(refused)).checks.get('contract balances')).toMatchObject({
    ...{ status: 'warning', message: 'not compared: no answer came.' },
  });
  const away = () => Promise.reject(new NotAnswered('connect', false, 'refused'));
  const { exitCode, checks } = await doctor(away);
  expect(exitCode).toBe(11);
  expect([...checks.keys()].filter((name) => name.startsWith('contract '))).toEqual([]);
});

it('is shown in a terminal of 60 columns', async () => {
  const { stdout } = await here.svc('doctor --contract', {
    ...{ env: service.env, transport: service.transport, tty: { stdout: true }, columns: 60 },
  });
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
});
