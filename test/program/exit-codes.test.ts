import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { debitOtp, ID, incomingTransfer, operation, payout } from '../support/requests.js';
import { cut, inTurn, json, refusal, startService, type Answer } from '../support/service.js';
import { world, type Result, type RunOptions, type World } from '../support/svc.js';

interface Given {
  readonly answers?: readonly Answer[];
  readonly env?: Readonly<Record<string, string>>;
  readonly before?: (world: World, options: RunOptions) => Promise<unknown>;
}
type Facts = Readonly<Record<string, unknown>>;
type Case = [
  exit: number,
  name: string,
  line: string | readonly string[],
  given?: Given,
  code?: string,
  error?: Facts,
];

const ids = new Map<World, string>();
const createAwaiting = async (home: World, options: RunOptions): Promise<void> => {
  const { stdout } = await home.svc(debitOtp(), options);
  ids.set(home, String((JSON.parse(stdout) as { id: unknown }).id));
};
const answered = (...answers: readonly Answer[]): Given => ({ answers });
const html: Answer = (_received, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<html>login</html>');
};
const payin = (more: object): Given => answered(json(200, operation({ type: 'payin', ...more })));
const EXPIRED = { code: 'expired', reason: 'expired', message: 'Late.' };
const DETAILS = [{ field: 'amount', code: 'invalid' }];
const INVALID = json(400, { error: { code: 'field_invalid', message: 'No.', details: DETAILS } });
const BUSY = refusal(503, 'temporarily_unavailable');
const LIMITED = answered(refusal(429, 'rate_limited', { 'retry-after': '7' }));
const REUSED = refusal(409, 'idempotency_key_reused');
const away = (base: string, key = 'svc_test_x'): Given => ({ env: { SVC_BASE_URL: base, SVC_API_KEY: key } });
const LOST = answered(cut);
const PAGE = answered(html);
const BROKEN = answered(json(500, ''));
const ONLY_BUSY = answered(BUSY);
const NO_KEY = answered(refusal(401, 'unauthorized'));
const AWAY = answered(json(302, '', { location: '/x' }));
const MOVED = answered(json(308, '', { location: '/x' }));
const API = 'https://api.example.com';
const NOBODY = 'http://127.0.0.1:9';

const keyed = [...payout(), '--idempotency-key', 'invoice-2048'];
const GET = `payins get ${ID}`;
const CONFIRM = `payins confirm ${ID} --code 123456`;
const CANCEL = `payouts cancel ${ID}`;
const FAILING = [...payout('00000001'), '--idempotency-key', 'invoice-2048'];
const WAITING = [...incomingTransfer(), '--wait-timeout', '9s'];
const BARE = 'payouts create --method mobile_payment --country VE --currency VES --amount 5.00';

const sent = { outcome: 'sent' };
const notSent = { outcome: 'not_sent', status: null };
const unknown = { outcome: 'unknown' };
const key = { idempotency_key: 'invoice-2048' };
const repeat = { ...unknown, next_command: 'svc requests repeat -- invoice-2048' };
const lookUp = { next_command: `svc payouts get ${ID}` };
const forNow = { retryable: true, next_command: `svc ${keyed.join(' ')}` };
const invalid = { status: 400, details: DETAILS, retryable: false };
const busy = { ...sent, ...forNow, status: 503 };
const confirmed = { next_command: `svc ${GET}`, idempotency_key: null };

const CASES: Case[] = [
  [0, 'a create that is confirmed', payout()],
  [0, 'a create that is pending', debitOtp()],
  [0, 'a get of a failed operation', GET, payin({ status: 'failed' })],
  [0, 'a status nobody knows', GET, payin({ status: 'paused' })],
  [1, 'a page', 'balances', PAGE, 'contract_broken', { ...sent, status: 200 }],
  [1, 'no operation', GET, answered(json(200, {})), 'contract_broken'],
  [1, 'no list', 'balances', answered(json(200, { a: 1 })), 'contract_broken'],
  [1, 'a redirect', 'balances', AWAY, 'contract_broken', { status: 302 }],
  [1, 'an unlisted 4xx', 'balances', answered(json(418, {})), 'contract_broken', { status: 418 }],
  [2, 'an unknown command', 'payns create', {}, 'usage', notSent],
  [2, 'a flag before any command', '--bogus balances', {}, 'usage'],
  [2, 'an unknown flag', 'balances --bogus', {}, 'usage', notSent],
  [2, 'a topic without a command', 'payins --wait', {}, 'usage'],
  [2, 'an id that is none', 'payins get ../balances', {}, 'usage'],
  [2, 'a missing field', BARE, {}, 'field_required', notSent],
  [2, 'a key in an argument', 'payins get svc_test_abc', {}, 'usage'],
  [2, 'an unknown profile', 'balances -p nobody', {}, 'usage'],
  [2, 'an address that is none', 'balances --base-url nowhere', {}, 'usage'],
  [4, 'no key', 'balances', { env: { SVC_BASE_URL: NOBODY } }, 'no_access', notSent],
  [4, 'no key, live', 'balances --live', {}, 'no_access', notSent],
  [4, '401', 'balances', NO_KEY, 'unauthorized', { status: 401, ...sent }],
  [4, '403', 'balances', answered(refusal(403, 'scope_missing')), 'scope_missing', { status: 403 }],
  [4, '401 for a create', keyed, NO_KEY, '', { ...key, ...sent }],
  [5, '404', GET, {}, 'not_found', { status: 404, ...sent }],
  [6, '400', keyed, answered(INVALID), 'field_invalid', { ...key, ...invalid }],
  [7, '409', keyed, answered(REUSED), 'idempotency_key_reused', { ...key, next_command: null }],
  [7, '409 for a cancel', CANCEL, answered(refusal(409, 'not_cancellable')), 'not_cancellable', lookUp],
  [8, 'a code that a person has', [...debitOtp(), '--wait'], {}, 'awaiting_code', sent],
  [8, 'the end of the wait', WAITING, {}, 'still_pending', sent],
  [9, 'a create that failed', FAILING, {}, 'counterparty_rejected', { ...key, ...sent, retryable: false }],
  [9, 'a wrong code', 'payins confirm $ID --code 000000', { before: createAwaiting }, 'code_rejected'],
  [9, '--exit-status', `${GET} --exit-status`, payin({ status: 'failed', failure: EXPIRED }), 'expired'],
  [10, '503 for a create', keyed, ONLY_BUSY, 'temporarily_unavailable', { ...key, ...busy }],
  [10, '429', 'balances', LIMITED, '', { status: 429, retryable: true, next_command: 'svc balances' }],
  [10, '503 for a cancel', CANCEL, ONLY_BUSY, '', { retryable: false, ...lookUp }],
  [10, '500 for a read', 'balances', BROKEN, '', { status: 500, retryable: true }],
  [11, 'a closed port', keyed, away(NOBODY), 'not_sent', { ...notSent, ...key, ...forNow }],
  [11, 'a read without an answer', 'balances', LOST, 'no_answer', { retryable: true }],
  [12, 'a create without an answer', keyed, LOST, 'outcome_unknown', { ...key, ...repeat, retryable: false }],
  [12, 'a create, and a page', keyed, PAGE, '', repeat],
  [12, 'a redirected create', keyed, MOVED, '', { ...repeat, ...key }],
  [12, 'a create answered with 500', keyed, BROKEN, '', unknown],
  [12, 'a lost answer, then 503', keyed, answered(cut, BUSY), '', unknown],
  [12, 'a lost answer, then 409', keyed, answered(cut, REUSED), '', unknown],
  [12, 'a confirm without an answer', CONFIRM, LOST, '', { ...unknown, ...confirmed }],
  [13, 'a live key without --live', 'balances', away(API, 'svc_live_x'), 'unsafe', notSent],
  [13, 'a test key with --live', 'balances --live', away(API)],
  [13, 'a key and no address', 'balances', { env: { SVC_API_KEY: 'svc_test_x' } }],
  [13, 'http to another machine', 'balances', away('http://api.example.com')],
  [16, 'damaged settings', 'balances', { before: damageSettings }, 'local_state', notSent],
  [16, 'a store that is none', 'balances', { before: damageStore }, 'store_unusable', notSent],
];

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
  ...['code', 'message', 'details', 'status', 'exit_code', 'outcome', 'retryable', 'idempotency_key'],
  ...['request_id', 'next_command'],
];

describe.each<Case>(CASES)('exit %i: %s', (exit, _name, line, given = {}, code = '', error = {}) => {
  it.each(Object.entries(MODES))('%s', async (_, [flags, mode, isJson]) => {
    const home = world();
    const service = given.answers === undefined ? null : await startService(inTurn(...given.answers));
    const env = { ...given.env, ...service?.env };
    await given.before?.(home, { env });
    const words = typeof line === 'string' ? line.split(' ') : line;
    const argv = words.map((word) => (word === '$ID' ? (ids.get(home) ?? '') : word));
    const wire = env.SVC_BASE_URL !== undefined;
    const result = await home.svc([...flags, ...argv], { ...mode, env: { ...env, ...mode.env }, wire });
    expect(result.exitCode, result.stderr).toBe(exit);
    if (exit === 0) expect(result.stderr).not.toContain('rror');
    else if (isJson)
      expectErrorObject(result, { ...error, ...(code && { code }), exit_code: exit }, [...flags, ...argv]);
    else {
      expect(stripVTControlCharacters(result.stderr)).toMatch(/^Error: /m);
      expect(result.stderr).not.toContain('{"error"');
    }
  });
});

function expectErrorObject(result: Result, said: Facts, typed: readonly string[]): void {
  const last = result.stderr.split('\n').at(-2) ?? '';
  expect(result.stderr.endsWith(`${last}\n`)).toBe(true);
  const object = JSON.parse(last) as { error: Record<string, unknown> };
  expect(Object.keys(object)).toEqual(['error']);
  expect(Object.keys(object.error)).toEqual(MEMBERS);
  const { next_command: next, ...rest } = said;
  expect(object.error).toMatchObject(rest);
  if (next === undefined) return;
  const repeats =
    typeof next === 'string' && typed[0] === '--json' && next.endsWith(typed.slice(1).join(' '));
  expect(object.error['next_command']).toBe(repeats ? next.replace('svc ', 'svc --json ') : next);
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
