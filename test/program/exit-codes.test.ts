/** Every exit code a command can end with: the same with and without --json, on a terminal and in a pipe, and what is said with it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { debitOtp, ID, incomingTransfer, operation, payout, words } from '../support/requests.js';
import { cut, inTurn, json, refusal, startService, type Answer } from '../support/service.js';
import { world, type Result, type RunOptions, type World } from '../support/svc.js';

interface Case {
  readonly exit: number;
  readonly name: string;
  readonly type: string | readonly string[];
  /** What the service answers, one after the other; the embedded sandbox without it. */
  readonly answers?: readonly Answer[];
  readonly env?: Readonly<Record<string, string>>;
  /** Runs first, in the same world. */
  readonly before?: (world: World, options: RunOptions) => Promise<unknown>;
  readonly error?: Readonly<Record<string, unknown>>;
}

const keyed = [...payout(), '--idempotency-key', 'invoice-2048'];
const html: Answer = (_received, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<html>login</html>');
};
const nobody = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'svc_test_wire' };
const createAwaiting = async (home: World, options: RunOptions): Promise<void> => {
  const { stdout } = await home.svc(debitOtp(), options);
  ids.set(home, String((JSON.parse(stdout) as { id: unknown }).id));
};
const ids = new Map<World, string>();
const sent = { outcome: 'sent' };
const notSent = { outcome: 'not_sent', status: null };

const CASES: readonly Case[] = [
  { exit: 0, name: 'a create that is confirmed', type: payout() },
  { exit: 0, name: 'a create that is pending', type: debitOtp() },
  {
    exit: 0,
    name: 'a get of a failed operation',
    type: `payins get ${ID}`,
    answers: [json(200, operation({ type: 'payin', status: 'failed' }))],
  },
  {
    exit: 0,
    name: 'a status nobody knows',
    type: `payins get ${ID}`,
    answers: [json(200, operation({ type: 'payin', status: 'paused' }))],
  },
  {
    exit: 1,
    name: 'a page instead of JSON',
    type: 'balances',
    answers: [html],
    error: { code: 'contract_broken', ...sent, status: 200 },
  },
  {
    exit: 1,
    name: 'no operation',
    type: `payins get ${ID}`,
    answers: [json(200, {})],
    error: { code: 'contract_broken' },
  },
  {
    exit: 1,
    name: 'no list',
    type: 'balances',
    answers: [json(200, { a: 1 })],
    error: { code: 'contract_broken' },
  },
  {
    exit: 1,
    name: 'a redirect',
    type: 'balances',
    answers: [json(302, '', { location: '/elsewhere' })],
    error: { code: 'contract_broken', status: 302 },
  },
  {
    exit: 1,
    name: 'an unlisted 4xx',
    type: 'balances',
    answers: [json(418, {})],
    error: { code: 'contract_broken', status: 418 },
  },
  { exit: 2, name: 'an unknown command', type: 'payns create', error: { code: 'usage', ...notSent } },
  { exit: 2, name: 'a flag before any command', type: '--bogus balances', error: { code: 'usage' } },
  { exit: 2, name: 'an unknown flag', type: 'balances --bogus', error: { code: 'usage', ...notSent } },
  { exit: 2, name: 'a flag without its value', type: 'methods --country', error: { code: 'usage' } },
  {
    exit: 2,
    name: 'a value that is none of the choices',
    type: 'methods --direction up',
    error: { code: 'usage' },
  },
  { exit: 2, name: 'a missing argument', type: 'payins get', error: { code: 'usage' } },
  { exit: 2, name: 'an argument too many', type: 'balances now', error: { code: 'usage' } },
  { exit: 2, name: 'a topic without a command', type: 'payins --wait', error: { code: 'usage' } },
  { exit: 2, name: 'an id that is none', type: 'payins get ../balances', error: { code: 'usage' } },
  {
    exit: 2,
    name: 'a missing field',
    type: words('payouts create --method mobile_payment --country VE --currency VES --amount 5.00'),
    error: { code: 'field_required', ...notSent },
  },
  { exit: 2, name: 'a key in an argument', type: 'payins get svc_test_abc', error: { code: 'usage' } },
  { exit: 2, name: 'an unknown profile', type: 'balances -p nobody', error: { code: 'usage' } },
  { exit: 2, name: 'an address that is none', type: 'balances --base-url nowhere', error: { code: 'usage' } },
  {
    exit: 4,
    name: 'no key',
    type: 'balances',
    env: { SVC_BASE_URL: 'http://127.0.0.1:9' },
    error: { code: 'no_access', ...notSent },
  },
  { exit: 4, name: 'no key, live', type: 'balances --live', error: { code: 'no_access', ...notSent } },
  {
    exit: 4,
    name: '401',
    type: 'balances',
    answers: [refusal(401, 'unauthorized')],
    error: { code: 'unauthorized', status: 401, ...sent },
  },
  {
    exit: 4,
    name: '403',
    type: 'balances',
    answers: [refusal(403, 'scope_missing')],
    error: { code: 'scope_missing', status: 403 },
  },
  {
    exit: 4,
    name: '401 for a create',
    type: keyed,
    answers: [refusal(401, 'unauthorized')],
    error: { idempotency_key: 'invoice-2048', ...sent },
  },
  { exit: 5, name: '404', type: `payins get ${ID}`, error: { code: 'not_found', status: 404, ...sent } },
  {
    exit: 6,
    name: '400',
    type: keyed,
    answers: [
      json(400, {
        error: { code: 'field_invalid', message: 'No.', details: [{ field: 'amount', code: 'invalid' }] },
      }),
    ],
    error: {
      code: 'field_invalid',
      status: 400,
      details: [{ field: 'amount', code: 'invalid' }],
      idempotency_key: 'invoice-2048',
      retryable: false,
    },
  },
  {
    exit: 7,
    name: '409',
    type: keyed,
    answers: [refusal(409, 'idempotency_key_reused')],
    error: { code: 'idempotency_key_reused', idempotency_key: 'invoice-2048', next_command: null },
  },
  {
    exit: 7,
    name: '409 for a cancel',
    type: `payouts cancel ${ID}`,
    answers: [refusal(409, 'not_cancellable')],
    error: { code: 'not_cancellable', next_command: `svc payouts get ${ID}` },
  },
  {
    exit: 8,
    name: 'a code that a person has',
    type: [...debitOtp(), '--wait'],
    error: { code: 'awaiting_code', ...sent },
  },
  {
    exit: 8,
    name: 'the end of the wait',
    type: [...incomingTransfer(), '--wait-timeout', '9s'],
    error: { code: 'still_pending', ...sent },
  },
  {
    exit: 9,
    name: 'a create that failed',
    type: [...payout('00000001'), '--idempotency-key', 'invoice-2048'],
    error: { code: 'counterparty_rejected', idempotency_key: 'invoice-2048', ...sent, retryable: false },
  },
  {
    exit: 9,
    name: 'a wrong code',
    type: 'payins confirm $ID --code 000000',
    before: createAwaiting,
    error: { code: 'code_rejected' },
  },
  {
    exit: 9,
    name: 'a get with --exit-status',
    type: `payins get ${ID} --exit-status`,
    answers: [
      json(
        200,
        operation({
          type: 'payin',
          status: 'failed',
          failure: { code: 'expired', reason: 'expired', message: 'Late.' },
        }),
      ),
    ],
    error: { code: 'expired' },
  },
  {
    exit: 10,
    name: '503 for a create, three times',
    type: keyed,
    answers: [refusal(503, 'temporarily_unavailable')],
    error: {
      code: 'temporarily_unavailable',
      status: 503,
      ...sent,
      retryable: true,
      idempotency_key: 'invoice-2048',
      next_command: `svc ${keyed.join(' ')}`,
    },
  },
  {
    exit: 10,
    name: '429',
    type: 'balances',
    answers: [refusal(429, 'rate_limited', { 'retry-after': '7' })],
    error: { status: 429, retryable: true, next_command: 'svc balances' },
  },
  {
    exit: 10,
    name: '503 for a cancel',
    type: `payouts cancel ${ID}`,
    answers: [refusal(503, 'temporarily_unavailable')],
    error: { retryable: false, next_command: `svc payouts get ${ID}` },
  },
  {
    exit: 10,
    name: '500 for a read',
    type: 'balances',
    answers: [json(500, '')],
    error: { status: 500, retryable: true },
  },
  {
    exit: 11,
    name: 'a port that nobody listens on',
    type: keyed,
    env: nobody,
    error: { code: 'not_sent', ...notSent, retryable: true, idempotency_key: 'invoice-2048' },
  },
  {
    exit: 11,
    name: 'a read without an answer',
    type: 'balances',
    answers: [cut],
    error: { code: 'no_answer', retryable: true },
  },
  {
    exit: 12,
    name: 'a create without an answer',
    type: keyed,
    answers: [cut],
    error: {
      code: 'outcome_unknown',
      outcome: 'unknown',
      retryable: false,
      idempotency_key: 'invoice-2048',
      next_command: 'svc requests repeat -- invoice-2048',
    },
  },
  {
    exit: 12,
    name: 'a create answered with a page',
    type: keyed,
    answers: [html],
    error: { outcome: 'unknown', next_command: 'svc requests repeat -- invoice-2048' },
  },
  {
    exit: 12,
    name: 'a redirected create',
    type: keyed,
    answers: [json(308, '', { location: '/x' })],
    error: {
      ...{ outcome: 'unknown', idempotency_key: 'invoice-2048' },
      next_command: 'svc requests repeat -- invoice-2048',
    },
  },
  {
    exit: 12,
    name: 'a create answered with 500',
    type: keyed,
    answers: [json(500, '')],
    error: { outcome: 'unknown' },
  },
  {
    exit: 12,
    name: 'a lost answer, then 503',
    type: keyed,
    answers: [cut, refusal(503, 'temporarily_unavailable')],
    error: { outcome: 'unknown' },
  },
  {
    exit: 12,
    name: 'a lost answer, then 409',
    type: keyed,
    answers: [cut, refusal(409, 'idempotency_key_reused')],
    error: { outcome: 'unknown' },
  },
  {
    exit: 12,
    name: 'a confirm without an answer',
    type: `payins confirm ${ID} --code 123456`,
    answers: [cut],
    error: { outcome: 'unknown', next_command: `svc payins get ${ID}`, idempotency_key: null },
  },
  {
    exit: 13,
    name: 'a live key without --live',
    type: 'balances',
    env: { SVC_BASE_URL: 'https://api.example.com', SVC_API_KEY: 'svc_live_x' },
    error: { code: 'unsafe', ...notSent },
  },
  {
    exit: 13,
    name: 'a test key with --live',
    type: 'balances --live',
    env: { SVC_BASE_URL: 'https://api.example.com', SVC_API_KEY: 'svc_test_x' },
  },
  { exit: 13, name: 'a key and no address', type: 'balances', env: { SVC_API_KEY: 'svc_test_x' } },
  {
    exit: 13,
    name: 'http to another machine',
    type: 'balances',
    env: { SVC_BASE_URL: 'http://api.example.com', SVC_API_KEY: 'svc_test_x' },
  },
  {
    exit: 16,
    name: 'damaged settings',
    type: 'balances',
    before: damageSettings,
    error: { code: 'local_state', ...notSent },
  },
  {
    exit: 16,
    name: 'a store that is none',
    type: 'balances',
    before: damageStore,
    error: { code: 'store_unusable', ...notSent },
  },
];

/** How the output is chosen, and whether errors are JSON then. */
const MODES: Readonly<
  Record<string, readonly [flags: readonly string[], options: RunOptions, isJson: boolean]>
> = {
  'in a pipe': [[], {}, true],
  'in a pipe, --json': [['--json'], {}, true],
  'in a pipe, -o table': [['-o', 'table'], {}, false],
  'in a pipe, SVC_OUTPUT': [[], { env: { SVC_OUTPUT: 'table' } }, false],
  'on a terminal': [[], { tty: { stdout: true, stderr: true } }, false],
  'on a terminal, --json': [['--json'], { tty: { stdout: true, stderr: true } }, false],
  'errors in a file, --json': [['--json'], { tty: { stdout: true } }, true],
};

const MEMBERS = [
  'code',
  'message',
  'details',
  'status',
  'exit_code',
  'outcome',
  'retryable',
  'idempotency_key',
  'request_id',
  'next_command',
];

describe.each(CASES)('exit $exit: $name', (given) => {
  it.each(Object.entries(MODES))('%s', async (_, [flags, mode, isJson]) => {
    const home = world();
    const service = given.answers === undefined ? null : await startService(inTurn(...given.answers));
    onTestFinished(async () => {
      home.remove();
      await service?.stop();
    });
    const env = { ...given.env, ...service?.env };
    await given.before?.(home, { env });
    const words = typeof given.type === 'string' ? given.type.split(' ') : given.type;
    const argv = words.map((word) => (word === '$ID' ? (ids.get(home) ?? '') : word));
    const wire = env['SVC_BASE_URL'] !== undefined;
    const result = await home.svc([...flags, ...argv], { ...mode, env: { ...env, ...mode.env }, wire });
    expect(result.exitCode, result.stderr).toBe(given.exit);
    if (given.exit === 0) expect(result.stderr).not.toContain('rror');
    else if (isJson) expectErrorObject(result, given, [...flags, ...argv]);
    else expectProse(result);
  });
});

function expectErrorObject(result: Result, { exit, error = {} }: Case, typed: readonly string[]): void {
  const last = result.stderr.split('\n').at(-2) ?? '';
  expect(result.stderr.endsWith(`${last}\n`)).toBe(true);
  const object = JSON.parse(last) as { error: Record<string, unknown> };
  expect(Object.keys(object)).toEqual(['error']);
  expect(Object.keys(object.error)).toEqual(MEMBERS);
  const { next_command: next, ...rest } = error;
  expect(object.error).toMatchObject({ ...rest, exit_code: exit });
  if (next === undefined) return;
  // What repeats the command line repeats its flags too.
  const repeats =
    typeof next === 'string' && typed[0] === '--json' && next.endsWith(typed.slice(1).join(' '));
  expect(object.error['next_command']).toBe(repeats ? next.replace('svc ', 'svc --json ') : next);
}

function expectProse({ stderr }: Result): void {
  expect(stripVTControlCharacters(stderr)).toMatch(/^Error: /m);
  expect(stderr).not.toContain('{"error"');
}

async function damageSettings({ ports }: World): Promise<void> {
  mkdirSync(ports.paths.config, { recursive: true, mode: 0o700 });
  writeFileSync(join(ports.paths.config, 'config.json'), '{', { mode: 0o600 });
  return Promise.resolve();
}

async function damageStore({ ports }: World): Promise<void> {
  mkdirSync(ports.paths.data, { recursive: true, mode: 0o700 });
  writeFileSync(join(ports.paths.data, 'sandbox.db'), 'no database, this is text '.repeat(100), {
    mode: 0o600,
  });
  return Promise.resolve();
}
