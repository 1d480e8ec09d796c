/** `svc doctor --contract`: what a service answers beside what is published, by reads alone. */
import { afterEach, beforeEach, expect, it } from 'vitest';
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
  expect(compared.map(({ check, message }) => `${check}: ${message}`).sort()).toEqual([
    ...[
      'contract balances: as published',
      'contract banks: as published',
      'contract capabilities: as published',
    ],
    ...[
      'contract events.list: as published',
      'contract methods: as published',
      'contract payins.get: as published',
    ],
    ...['contract payouts.get: as published', 'contract transactions.get: as published'],
  ]);
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
    message: 'The answer has what the contract does not know: error.code "operation_unknown".',
  });
});

it('says what it could not compare, and compares nothing where nobody answers', async () => {
  const refused: Transport = async (request, options) =>
    request.url.includes('/v2/balances')
      ? { status: 403, headers: [], body: Buffer.from('{"error":{"code":"scope_missing","message":"No."}}') }
      : service.transport(request, options);
  expect((await doctor(refused)).checks.get('contract balances')).toMatchObject({ status: 'warning' });
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
