import fc from 'fast-check';
import { expect } from 'vitest';
import { loadStateReader } from '../../../src/sandbox/control/state.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import type { Answered } from '../support/answered.js';
import { fakeClock } from '../support/clock.js';
import { opened as openIn, requestOf } from '../store/request.js';

await loadStateReader();

export type Opened = ReturnType<typeof opened>;

export function opened(seed = 'one', startMs?: number, store?: string) {
  const clock = fakeClock(startMs);
  return { clock, sandbox: openIn(store, seed, clock) };
}

interface Reply {
  readonly status: number;
  readonly json: Answered;
  readonly text: string;
}

export function send(
  sandbox: Sandbox,
  method: string,
  target: string,
  body?: unknown,
  more: { readonly key?: string; readonly idempotencyKey?: string } = {},
): Reply {
  const request = requestOf(more.key ?? sandbox.apiKey, method, target, undefined, more.idempotencyKey);
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const bytes = isRaw ? body : body === undefined ? '' : JSON.stringify(body);
  const answer = sandbox.handle({ ...request, body: Buffer.from(bytes) });
  const text = Buffer.from(answer.body).toString('utf8');
  return { status: answer.status, text, json: JSON.parse(text) as Answered };
}

export function exported(sandbox: Sandbox): string {
  const { status, text } = send(sandbox, 'GET', '/_control/state');
  expect(status).toBe(200);
  return text;
}

export function imported(sandbox: Sandbox, document: string | Uint8Array): Reply {
  return send(sandbox, 'PUT', '/_control/state', document);
}

const PAYOUTS = ['mobile_payment', 'bank_transfer'] as const;
const PAYINS = ['debit_otp', 'direct_debit', 'incoming_mobile_payment', 'incoming_transfer'] as const;
const METHODS = [...PAYINS, ...PAYOUTS];

const METADATA = [
  '{"price": 1.10, "big": 12345678901234567890, "e": 1E2}',
  '{ "2": "b", "1": "\\u00e9\\/", "note": "a\\nb" }',
  '{"nested":{"list":[1, 2.0, null, true]}}',
];

const create = fc.record({
  do: fc.constant('create' as const),
  method: fc.constantFrom(...METHODS),
  document: fc.constantFrom('12345678', '12345678', '00000001', '00000002', '00000004', '00000022'),
  minor: fc.integer({ min: 100, max: 99_999 }),
  live: fc.boolean(),
  text: fc.option(fc.constantFrom('order-1', 'Ñandú "x"\\', '\u2028<b>', 'a'.repeat(300), '__proto__')),
  metadata: fc.option(fc.constantFrom(...METADATA)),
});
const act = fc.record({
  do: fc.constant('act' as const),
  what: fc.constantFrom('confirm', 'wrong', 'cancel', 'resend', 'read', 'pay', 'settle', 'refuse', 'expire'),
  pick: fc.nat({ max: 4 }),
});
const attempt = fc.record({
  do: fc.constant('attempt' as const),
  status: fc.constantFrom(200, 500, 301, null),
});
const to = (path: string, body: object) => ({ do: 'control' as const, path, body });
const fault = (body: object) => to('faults', body);
const failure = { code: 'limit_exceeded', reason: 'daily_limit' };
const refusing = fault({ route: 'payouts.create', failure, kind: 'outcome' });
const control = fc.constantFrom(
  to('keys', { company: 'acme', scopes: ['operaciones:leer'] }),
  to('keys', { company: 'Compañía 2', environment: 'live', created_by: 'operator' }),
  to('ping', {}),
  fault({ route: '*', status: 503, retry_after: 3, count: 2 }),
  fault({ route: 'payouts.create', kind: 'drop-after' }),
  fault({ route: 'balances', kind: 'delay', delay_ms: 5 }),
  fault({ route: 'balances', status: 503, after: true }),
  fault({ route: 'balances', kind: 'silent' }),
  fault({ route: 'payouts.create', kind: 'outcome', pending: true }),
  fault({ route: 'payins.create', kind: 'outcome', pending: true }),
  refusing,
  fault({ route: '*', kind: 'drop-before', skip: 2, match: 'order-1' }),
  fault({ delivery: 'hold', count: 3 }),
  fault({ delivery: 'reorder', for: '2h', count: 2 }),
  fault({ delivery: 'duplicate' }),
  fault({ delivery: 'bad-signature' }),
  to('faults/clear', {}),
  to('clock', { advance_seconds: 3.601 }),
  to('clock', { advance_seconds: 50 * 3600 }),
  to('reset', {}),
);
const register = fc.record({
  do: fc.constant('register' as const),
  live: fc.boolean(),
  url: fc.constantFrom('https://shop.example/hooks', 'http://127.0.0.1:3000/hooks?a=%20'),
});
const wait = fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 999, 61_000) });

const step = fc.oneof(
  { weight: 8, arbitrary: create },
  { weight: 8, arbitrary: act },
  { weight: 3, arbitrary: attempt },
  { weight: 3, arbitrary: control },
  { weight: 2, arbitrary: register },
  { weight: 1, arbitrary: wait },
);
export type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
type Create = Extract<Step, { do: 'create' }>;

export const steps = fc.array(step, { minLength: 5, maxLength: 40 });

const paid = (method: Create['method'], document: Create['document']): Step => ({
  ...{ do: 'create', method, document, minor: 500, live: false, text: null, metadata: null },
});
const first = (what: 'settle' | 'refuse'): Step => ({ do: 'act', what, pick: 0 });

export const everything: Step[] = [
  { do: 'register', live: false, url: 'https://shop.example/hooks' },
  ...[paid('mobile_payment', '00000002'), first('settle')],
  ...[paid('bank_transfer', '00000002'), first('refuse'), { do: 'attempt', status: 200 } as const],
  ...[paid('mobile_payment', '00000002'), paid('debit_otp', '12345678')],
  ...[paid('incoming_transfer', '12345678'), fault({ route: '*', kind: 'outcome', pending: true, count: 2 })],
  ...[paid('mobile_payment', '12345678'), paid('debit_otp', '12345678')],
  fault({ route: '*', status: 503 }),
  fault({ route: '*', status: 503, after: true }),
  fault({ route: '*', kind: 'truncated' }),
  fault({ route: '*', kind: 'outcome', pending: true }),
  refusing,
  fault({ route: 'balances', kind: 'delay', delay_ms: 5 }),
  fault({ route: 'payouts.create', kind: 'drop-after' }),
];

interface Made {
  readonly id: string;
  readonly path: string;
  readonly key: string;
}

export function live({ sandbox, clock }: Opened, all: readonly Step[]): void {
  const made: Made[] = [];
  let liveKey: string | null = null;
  const newKey = () => send(sandbox, 'POST', '/_control/keys', { environment: 'live' }).json.api_key;
  const keyOf = (isLive: boolean): string => (isLive ? (liveKey ??= newKey()) : sandbox.apiKey);
  const pathOf = (isLive: boolean, noun: string): string => `${isLive ? '' : '/sandbox'}/v2/${noun}`;
  for (const step of all) {
    if (step.do === 'wait') clock.advance(step.ms);
    if (step.do === 'control') {
      send(sandbox, 'POST', `/_control/${step.path}`, step.body);
      if (step.path === 'reset') liveKey = null;
    }
    if (step.do === 'register') {
      const path = pathOf(step.live, 'webhook-endpoints');
      send(sandbox, 'POST', path, { url: step.url }, { key: keyOf(step.live) });
    }
    if (step.do === 'attempt') {
      const { deliveries } = sandbox.outbox.runRound([], []);
      const error = step.status === null ? 'refused' : null;
      const headers = { 'x-timestamp': '1' };
      const outcome = { status: step.status, error, headers, answer: null, ms: 1.25 };
      sandbox.outbox.record(deliveries.slice(0, 2).map((outgoing) => ({ outgoing, outcome })));
    }
    if (step.do === 'create') {
      const isPayout = PAYOUTS.some((method) => method === step.method);
      const path = pathOf(step.live, isPayout ? 'payouts' : 'payins');
      const key = keyOf(step.live);
      const keys = { key, idempotencyKey: `key ${String(made.length)} "of" a test` };
      const reply = send(sandbox, 'POST', path, bodyOf(step), keys);
      if (reply.status === 201) made.push({ id: reply.json.id, path: `${path}/${reply.json.id}`, key });
    }
    if (step.do === 'act') {
      const target = made.at(-1 - step.pick);
      if (target !== undefined) doTo(sandbox, step.what, target);
    }
  }
}

function bodyOf({ method, document, minor, text, metadata }: Create): string {
  const party = { bank_code: '0102', document: { type: 'V', number: document } };
  const phone = '04121234567';
  const own = {
    debit_otp: { payer: { ...party, phone } },
    direct_debit: {
      payer: { ...party, account_type: 'mobile', account_number: phone, name: 'Shop' },
      mandate: { contract_id: 'A1', contract_date: '2026-01-01' },
    },
    incoming_mobile_payment: { payer: { ...party, phone } },
    incoming_transfer: { payer: party, expires_in_hours: 5 },
    mobile_payment: { beneficiary: { ...party, account_number: phone, name: 'Shop' }, purpose: 'payroll' },
    bank_transfer: { beneficiary: { ...party, account_number: '01020000000000000000', name: 'Shop' } },
  }[method];
  const body = JSON.stringify({
    ...{ method, country: 'VE', currency: 'VES', amount: (minor / 100).toFixed(2), ...own },
    ...(text === null ? {} : { reference: text }),
  });
  return metadata === null ? body : `${body.slice(0, -1)},"metadata":${metadata}}`;
}

function doTo(sandbox: Sandbox, what: string, { id, path, key }: Made): void {
  const post = (action: string, body?: unknown): Reply =>
    send(sandbox, 'POST', `${path}/${action}`, body, { key });
  const play = (action: string, body: object): Reply =>
    send(sandbox, 'POST', `/_control/operations/${id}/${action}`, body);
  if (what === 'confirm') post('confirm', { code: '123456' });
  if (what === 'wrong') post('confirm', { code: '000000' });
  if (what === 'cancel') post('cancel');
  if (what === 'resend') post('resend-code');
  if (what === 'read') send(sandbox, 'GET', path, undefined, { key });
  if (what === 'pay') send(sandbox, 'POST', '/_control/payments', { for: id });
  if (what === 'settle') play('settle', { status: 'confirmed' });
  if (what === 'refuse') play('settle', { status: 'failed', failure });
  if (what === 'expire') play('expire', {});
}
