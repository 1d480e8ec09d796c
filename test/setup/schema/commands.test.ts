import { describe, expect, it } from 'vitest';
import yaml from 'yaml';
import { endpoint, ENDPOINT_IDS } from '../../../src/contract/endpoints.js';
import { COMMAND_IDS } from '../../../src/registry.js';
import type { JsonSchema } from '../../../src/contract/openapi/json-schema.js';
import { openApi } from '../../../src/contract/openapi/openapi.js';
import { answerComplaints, bodyComplaints, complaintsOf, endpointAt } from '../../support/contract-check.js';
import { outputOf, printedComplaints, type SaidCommands } from '../../support/printed-check.js';
import {
  debitOtp,
  directDebit,
  incomingTransfer,
  payout,
  PAYOUT_BODY,
  words,
} from '../../support/requests.js';
import { shakySandbox } from '../../support/shaky-sandbox.js';
import { eachWorld, type RunOptions } from '../../support/svc.js';

const home = eachWorld();

const svc = (line: string, options?: RunOptions) => home.svc(line, options);

describe('the whole contract', () => {
  it('is OpenAPI as JSON', async () => {
    const { exitCode, json, stderr } = await svc('schema');
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(json()).toEqual(openApi());
  });

  it('is the same as YAML, also in a terminal', async () => {
    for (const stdout of [true, false]) {
      const { exitCode, stdout: text } = await svc('schema --yaml', { tty: { stdout } });
      expect(exitCode).toBe(0);
      expect(yaml.parse(text)).toEqual(openApi());
      expect(text).not.toMatch(/[&*][a-z0-9]+$/m);
    }
  });

  it('is filtered', async () => expect((await svc('schema -q .info.version')).stdout).toBe('2.8.0\n'));
});

describe('one body', () => {
  it('is that of the table, and asks for nothing', async () => {
    const transport = () => Promise.reject(new Error('nothing is asked'));
    const env = { SVC_BASE_URL: 'https://api.example.com' };
    const { json } = await svc('schema payouts.create', { transport, env });
    expect(complaintsOf(json(), JSON.parse(PAYOUT_BODY))).toEqual([]);
    expect(complaintsOf(json(), { ...(JSON.parse(PAYOUT_BODY) as object), other: 1 })).not.toEqual([]);
  });

  it.each(['payins.create', 'payins.confirm', 'webhooks.register', 'events'])(
    '%s stands alone',
    async (what) => {
      const { exitCode, stdout, json } = await svc(`schema ${what}`);
      expect(exitCode).toBe(0);
      expect(stdout).not.toContain('#/components/');
      expect(json()['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
      expect(complaintsOf(json(), [])).not.toEqual([]);
    },
  );

  it('is what the live catalog says of the method', async () => {
    const { json } = await svc('schema payouts.create --method mobile_payment --country VE --currency VES');
    const body = JSON.parse(PAYOUT_BODY) as { beneficiary: object };
    expect(complaintsOf(json(), body)).toEqual([]);
    const without = { ...body, beneficiary: { ...body.beneficiary, bank_code: undefined } };
    expect(complaintsOf(json(), JSON.parse(JSON.stringify(without)))).not.toEqual([]);
  });

  it('is one of several where the catalog has the method in several countries', async () => {
    const { json } = await svc('schema payouts.create --method mobile_payment');
    expect((json()['oneOf'] as unknown[]).length).toBeGreaterThan(1);
    expect(complaintsOf(json(), JSON.parse(PAYOUT_BODY))).toEqual([]);
  });
});

describe('a catalog that cannot be had ends as any read', () => {
  it.each([
    [401, '{"error":{"code":"unauthorized","message":"No."}}', 4, 'No.'],
    [503, '{"error":{"code":"temporarily_unavailable","message":"No."}}', 10, 'No.'],
    [200, '<html>', 1, 'the answer is not JSON.'],
    [200, '[]', 1, 'the answer is not a JSON object'],
    [200, '{}', 1, 'The service broke its contract: '],
  ])('%s %s: %s', async (status, body, exit_code, said) => {
    const transport = () => Promise.resolve({ status, headers: [], body: Buffer.from(body) });
    const env = { SVC_BASE_URL: 'https://api.example.com', SVC_API_KEY: `svc_test_${'ab12'.repeat(12)}` };
    const { error } = await svc('schema payouts.create --method mobile_payment', { transport, env });
    expect(error()).toMatchObject({ exit_code, message: expect.stringContaining(said) as string });
  });
});

describe('it refuses', () => {
  const METHOD = 'schema payouts.create --method mobile_payment';
  it.each([
    ['schema --live', 'ignores --live'],
    ['schema events --base-url https://api.example.com', 'ignores --base-url'],
    ["schema ''", 'There is no schema of'],
    ['schema banks', 'payouts.create, webhooks.register or events'],
    ['schema payouts.creat', 'There is no schema of payouts.creat. Did you mean payouts.create?'],
    ['schema nonsense', 'payouts.create'],
    ['schema --method mobile_payment', '--method belongs to'],
    ['schema events --method mobile_payment', '--method belongs to'],
    ['schema payouts.create --country VE', '--method belongs to'],
    ['schema payouts.create --method debit_otp', 'See "svc methods --direction payout"'],
    ['schema payouts.create --method mobile_paymen', 'Did you mean mobile_payment?'],
    [`${METHOD} --currency XXX`, 'no method mobile_payment of payouts for these flags'],
    ['schema --commands events', 'leave out the rest'],
    ['schema --commands --method x', 'leave out the rest'],
    ['schema --yaml --jq .info', '--yaml is an output of its own'],
    ['schema --yaml -o json', '--yaml is an output of its own'],
    ['schema --state-url local', '--state-url'],
  ])('%s', async (line, text) => {
    const { exitCode, stdout, error } = await svc(line);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(error()['message']).toContain(text);
  });
});

describe('--commands', () => {
  it('describes every command from its declaration', async () => {
    const { json } = await svc('schema --commands');
    const { commands, global_flags: globals } = json() as unknown as SaidCommands;
    expect(commands.map(({ id }) => id)).toEqual(COMMAND_IDS);
    const output = { name: '--output', short: '-o', choices: ['table', 'json', 'ndjson', 'csv'] };
    expect(globals).toContainEqual(expect.objectContaining(output));
    const create = commands.find(({ id }) => id === 'payouts create');
    expect(create).toMatchObject({ endpoint: 'payouts.create' });
    expect(create?.flags.map(({ name }) => name)).toContain('--amount');
    expect(create).toMatchObject({ exit_codes: expect.arrayContaining([12]) as number[] });
    const unknown = { code: 12, meaning: expect.stringContaining('outcome unknown') as string };
    expect(json()['exit_codes']).toContainEqual(unknown);
  });

  it('describes answers that the commands print, and errors with which they end', async () => {
    const { commands, error, schemas } = (await svc('schema --commands')).json() as {
      commands: { id: string; answers: JsonSchema | null }[];
      error: JsonSchema;
      schemas: JsonSchema;
    };
    const answersOf = (id: string): JsonSchema => {
      const { answers } = commands.find((one) => one.id === id)!;
      return { ...answers, schemas };
    };
    for (const id of ['payouts create', 'balances', 'capabilities', 'events list']) {
      const { json } = await home.svc(id === 'payouts create' ? payout() : id);
      expect(complaintsOf(answersOf(id), json())).toEqual([]);
    }
    expect(complaintsOf(answersOf('balances'), { balances: 1 })).not.toEqual([]);
    const failing = ['payouts get nonsense', 'payins create', 'batches status nobody', 'no-such'];
    for (const line of [...failing, 'banks --country QQ']) {
      const { exitCode, stderr } = await svc(line);
      expect(exitCode).toBeGreaterThan(0);
      expect(complaintsOf(error, JSON.parse(stderr.trimEnd().split('\n').at(-1)!))).toEqual([]);
    }
    expect(complaintsOf(error, { error: { code: 'x' } })).not.toEqual([]);
  });

  const said = async () => (await svc('schema --commands')).json() as unknown as SaidCommands;

  it('says of every command what it prints, and by which of its words it prints something else', async () => {
    const { commands, global_flags: globals, schemas } = await said();
    for (const { id, form, answers, variants, flags, arguments: args } of commands) {
      for (const one of [{ form, answers }, ...variants]) {
        expect(one.answers !== null, id).toBe(one.form === 'json' || one.form === 'ndjson');
        const names = [...JSON.stringify(one.answers).matchAll(/#\/schemas\/(\w+)/g)].map(([, name]) => name);
        expect(Object.keys(schemas)).toEqual(expect.arrayContaining(names));
      }
      for (const { with: typed } of variants) {
        const [name, choice] = typed.split(' ');
        const flag = [...flags, ...globals].find((known) => known.name === name);
        const isArgument = args.some((one) => one.name.toUpperCase() === name);
        expect(isArgument || flag !== undefined, `${id} ${typed}`).toBe(true);
        if (choice !== undefined) expect(flag?.choices).toContain(choice);
      }
    }
  });

  it('says other spellings, defaults, and what no command declares', async () => {
    const { commands, global_flags: globals } = await said();
    const commandOf = (id: string) => commands.find((one) => one.id === id)!;
    const flagOf = (id: string, name: string) => commandOf(id).flags.find((one) => one.name === name);
    const resend = ['payins resend-code', 'payin resend', 'payin resend-code'];
    expect(commandOf('payins resend').aliases).toEqual(resend);
    expect([commandOf('balances').aliases, commandOf('doctor').aliases]).toEqual([['balance'], []]);
    expect(flagOf('webhooks listen', '--port')).toMatchObject({ default: '4020', hidden: false });
    expect(flagOf('certify client', '--strict')).toMatchObject({ default: false });
    expect(flagOf('payouts create', '--amount')).toMatchObject({ default: null });
    for (const [name, short] of Object.entries({ '--help': '-h', '--version': '-v' })) {
      expect(globals).toContainEqual(expect.objectContaining({ name, short, value: null }));
      expect(await svc(short)).toMatchObject({ exitCode: 0 });
    }
  });

  it('says what stands beside the field and the code of a detail', async () => {
    const { error } = (await svc('schema --commands')).json() as { error: JsonSchema };
    const printed = (await svc('payouts create --amount x')).error() as { details: object[] };
    const detail = Object.keys(printed.details[0]!);
    expect(detail).toEqual(['field', 'code', 'hint', 'example', 'flag']);
    const wrong = { ...printed, details: [{ ...printed.details[0], hint: 1 }] };
    expect(complaintsOf(error, { error: printed })).toEqual([]);
    expect(complaintsOf(error, { error: wrong })).not.toEqual([]);
  });

  it('is caught where a shape asks for more, or knows a word less', async () => {
    await home.svc(payout());
    const described = await said();
    for (const [id, name, values, flags = ''] of [
      ['operations list', 'OperationList', ['payout', 'create', 'sandbox'], ' --offline'],
      ['sandbox status', 'SandboxStatus', []],
      ['doctor', 'CheckUp', ['ok']],
      ['policy show', 'PolicyInForce', ['none']],
      ['profiles add', 'Profile', ['payments'], ' shop --base-url https://api.example.com'],
    ] as const) {
      const { stdout } = await svc(id + flags);
      const output = outputOf(described, id, (id + flags).split(' '))!;
      const complaints = (shape: JsonSchema) =>
        printedComplaints({ schemas: { ...described.schemas, [name]: shape } }, output, stdout);
      const shape = described.schemas[name]!;
      expect(complaints(shape), id).toEqual([]);
      const required = [...(shape['required'] as string[]), 'never_there'];
      expect(complaints({ ...shape, required }), id).not.toEqual([]);
      for (const value of values) {
        const less = JSON.stringify(shape).replaceAll(`"${value}"`, '"another_word"');
        expect(complaints(JSON.parse(less) as JsonSchema), `${id} without ${value}`).not.toEqual([]);
      }
    }
  });
});

it('every request of the commands, and every answer to them, is one of the contract', async () => {
  const shaky = shakySandbox(home.clock);
  const seen = new Set<string>();
  const complaints: string[] = [];
  const options: RunOptions = {
    env: shaky.env,
    transport: async (request, how) => {
      const { pathname, search } = new URL(request.url);
      const id = endpointAt(request.method, pathname + search);
      if (id === null) throw new Error(`${request.method} ${request.url} is no request of the contract`);
      const answer = await shaky.transport(request, how);
      seen.add(id);
      if (request.body !== null && request.method === 'POST')
        complaints.push(...bodyComplaints(id, Buffer.from(request.body).toString()));
      const isKeyed = 'idempotency-key' in request.headers;
      if (isKeyed !== (endpoint(id).retry === 'keyed')) complaints.push(`${id}: Idempotency-Key`);
      complaints.push(...answerComplaints(id, answer.status, Buffer.from(answer.body).toString()));
      return answer;
    },
  };
  const idOf = async (line: readonly string[]) => (await home.svc(line, options)).json()['id'] as string;
  const code = shaky.sandbox.code;
  const asked = await idOf(debitOtp());
  await svc(`payins resend ${asked}`, options);
  await svc(`payins confirm ${asked} --code ${code}`, options);
  await idOf([...directDebit(), '--mandate', 'contract_id=A1', '--mandate', 'contract_date=2026-01-31']);
  const waiting = await idOf([...incomingTransfer(), '--expires-in-hours', '3']);
  await svc(`payins cancel ${waiting}`, options);
  const more = words('--purpose payroll --metadata order=A-17 --reference r-1');
  const sent = await idOf([...payout(), ...more]);
  for (const line of [
    ...['capabilities', 'methods --country VE', 'banks --country VE --method mobile_payment', 'balances'],
    ...[`payins get ${asked}`, `payouts get ${sent}`, `transactions get ${sent}`, `payouts cancel ${sent}`],
    ...['events list --limit 5', 'webhooks register --url https://shop.example/hooks'],
  ])
    await svc(line, options);
  expect(complaints).toEqual([]);
  expect([...seen].sort()).toEqual([...ENDPOINT_IDS].sort());
});
