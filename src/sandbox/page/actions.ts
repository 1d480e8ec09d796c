/** What can be done to the sandbox, each as the call that does it: to an operation by what it waits for, to the next requests, to the clock, to a receiver; and a request of the log once more. Pure. */
import { FAILURE_CODES, FAILURES } from '../../contract/failures.js';
import { control, keyWith, service, type Deed, type Call } from './call.js';
import type { CompanyJson, Listed } from './answers.js';
import type { LoggedWhole } from '../log/logged.js';

/** What is asked for before it happens. */
interface AskedFor {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options?: readonly string[];
}

export interface Possibility {
  readonly label: string;
  /** What is true afterwards, in a sentence. */
  readonly effect: string;
  readonly tone?: 'good' | 'bad';
  readonly asked?: AskedFor;
  /** @param value of what is asked for */
  readonly make: (value: string) => Deed;
}

/** Every failure of the contract, as `CODE/REASON`. */
export const ALL_FAILURES = FAILURE_CODES.flatMap((code) =>
  FAILURES[code].reasons.map((reason) => `${code}/${reason}`),
);

interface KnownSandbox {
  readonly companies: readonly CompanyJson[];
  /** The one valid code. */
  readonly code: string;
}

export function actionsFor(listed: Listed, known: KnownSandbox): Possibility[] {
  const scope = listed.operation.type === 'payin' ? 'payins:crear' : 'payouts:crear';
  const key = keyWith(known.companies, listed, scope);
  switch (listed.waits_for?.kind) {
    case 'code':
      return [...(key === undefined ? [] : codeActions(listed, key, known.code)), expires(listed)];
    case 'payment':
      return [
        ...paymentActions(listed),
        expires(listed),
        ...(key === undefined ? [] : [cancels(listed, key)]),
      ];
    case 'bank':
      return [
        ...bankActions(listed),
        ...(key === undefined || listed.operation.type === 'payin' ? [] : [cancels(listed, key)]),
      ];
    case undefined:
      return [];
  }
}

/** Six digits that are not the code. */
export function wrongCode(code: string): string {
  return code === '000000' ? '111111' : '000000';
}

function codeActions({ id }: Listed, key: string, right: string): Possibility[] {
  const confirm = (code: string): Deed => ({
    call: service('POST', `/v2/payins/${id}/confirm`, key, { code }),
    words: ['payins', 'confirm', id, '--code', code],
  });
  return [
    {
      ...{ label: 'Confirm', effect: `The payer's bank accepts the code ${right}.`, tone: 'good' },
      make: () => confirm(right),
    },
    {
      ...{ label: 'Wrong code', effect: 'A code has one attempt: the pay-in fails.', tone: 'bad' },
      make: () => confirm(wrongCode(right)),
    },
    {
      ...{ label: 'New code', effect: 'The payer gets a new code. The old one stops working.' },
      make: () => ({
        call: service('POST', `/v2/payins/${id}/resend-code`, key, {}),
        words: ['payins', 'resend', id],
      }),
    },
  ];
}

function paymentActions({ id, operation }: Listed): Possibility[] {
  return [
    {
      ...{ label: 'Pay', effect: 'The expected payment arrives.', tone: 'good' },
      make: () => ({
        call: control('payments', { for: id }),
        words: ['sandbox', 'payment', '--for', id],
      }),
    },
    {
      ...{ label: 'Pay another amount', effect: 'The payment matches no pay-in.' },
      asked: { name: 'amount', label: 'Amount', value: operation.amount },
      make: (amount) => ({
        call: control('payments', { for: id, amount }),
        words: ['sandbox', 'payment', '--for', id, `--amount=${amount}`],
      }),
    },
  ];
}

function bankActions({ id }: Listed): Possibility[] {
  return [
    {
      ...{ label: 'Confirm', effect: 'The bank completes it.', tone: 'good' },
      make: () => ({
        call: control(`operations/${id}/settle`, { status: 'confirmed' }),
        words: ['sandbox', 'operations', id, '--settle', 'confirmed'],
      }),
    },
    {
      ...{ label: 'Fail', effect: 'The bank rejects it for this reason.', tone: 'bad' },
      asked: {
        ...{ name: 'failure', label: 'Code and reason', value: ALL_FAILURES[0] ?? '' },
        options: ALL_FAILURES,
      },
      make: (value) => {
        const [code = '', reason = ''] = value.split('/');
        return {
          call: control(`operations/${id}/settle`, { status: 'failed', failure: { code, reason } }),
          words: ['sandbox', 'operations', id, '--settle', 'failed', '--failure', value],
        };
      },
    },
  ];
}

function expires({ id }: Listed): Possibility {
  return {
    ...{ label: 'Let it expire', effect: 'Its time ends now. The clock does not move.', tone: 'bad' },
    make: () => ({
      call: control(`operations/${id}/expire`, {}),
      words: ['sandbox', 'operations', id, '--expire'],
    }),
  };
}

function cancels({ id, operation }: Listed, key: string): Possibility {
  const noun = `${operation.type}s`;
  return {
    ...{ label: 'Cancel', effect: 'The company cancels it.', tone: 'bad' },
    make: () => ({
      call: service('POST', `/v2/${noun}/${id}/cancel`, key, {}),
      words: [noun, 'cancel', id],
    }),
  };
}

/** As the control takes it. */
export interface NewFault {
  readonly route: string;
  readonly kind: string;
  readonly count: number;
  readonly status?: number;
  readonly retry_after?: number;
  readonly delay_ms?: number;
  readonly failure?: { readonly code: string; readonly reason: string };
}

export const DISARMING: Deed = { call: control('faults/clear', {}), words: ['sandbox', 'fault', '--clear'] };

/** What is often wanted. */
export const PRESETS: readonly Possibility[] = [
  {
    ...{ label: '503 twice', effect: 'The service refuses the next two requests and does nothing.' },
    make: () => armingOf({ route: '*', kind: 'status', status: 503, count: 2 }),
  },
  {
    ...{ label: 'Answer lost', effect: 'The service makes the next payout, but its answer is lost.' },
    make: () => armingOf({ route: 'payouts.create', kind: 'drop-after', count: 1 }),
  },
  {
    ...{
      label: 'Slow, 3 s',
      effect: 'The service does the next request and answers three seconds later.',
    },
    make: () => armingOf({ route: '*', kind: 'delay', delay_ms: 3000, count: 1 }),
  },
  {
    ...{
      label: 'Garbage',
      effect: 'The service does the next request, but its answer is garbage.',
    },
    make: () => armingOf({ route: '*', kind: 'garbage', count: 1 }),
  },
  {
    ...{
      label: 'Daily limit',
      effect: 'The bank rejects the next payout: it is above the daily limit.',
    },
    make: () =>
      armingOf({
        ...{ route: 'payouts.create', kind: 'outcome', count: 1 },
        failure: { code: 'limit_exceeded', reason: 'daily_limit' },
      }),
  },
];

export function armingOf(fault: NewFault): Deed {
  const { route, kind, count, status, retry_after: after, delay_ms: delay, failure } = fault;
  return {
    call: control('faults', fault),
    words: [
      ...['sandbox', 'fault', '--route', route, '--kind', kind, '--count', String(count)],
      ...(status === undefined ? [] : ['--status', String(status)]),
      ...(after === undefined ? [] : ['--retry-after', `${String(after)}s`]),
      ...(delay === undefined ? [] : ['--delay', `${String(Math.ceil(delay / 1000))}s`]),
      ...(failure === undefined ? [] : ['--failure', `${failure.code}/${failure.reason}`]),
    ],
  };
}

export function movingOf(seconds: number): Deed {
  return {
    call: control('clock', { advance_seconds: seconds }),
    words: ['sandbox', 'clock', 'advance', `${String(seconds)}s`],
  };
}

/** How far the clock is often moved. */
export const CLOCK_STEPS: readonly Possibility[] = [
  { label: '+1 min', effect: 'A minute passes.', make: () => movingOf(60) },
  { label: '+1 h', effect: 'An hour passes.', make: () => movingOf(3600) },
  { label: '+48 h', effect: 'Two days pass.', make: () => movingOf(172_800) },
];

/** A `test.ping` to the url of that company. */
export function pingOf({ name, environment }: Pick<CompanyJson, 'name' | 'environment'>): Deed {
  return {
    call: control('ping', { company: name, environment }),
    words: ['sandbox', 'ping', `--company=${name}`, '--environment', environment],
  };
}

/** What a request carried beside its body and its key. */
const KEPT = ['Idempotency-Key', 'Content-Type'];

/**
 * Null where the log does not hold all of it: what was cut, and a code, which is kept nowhere.
 * @param newKey an idempotency key in the place of its own; null keeps that
 */
export function again(
  request: LoggedWhole,
  companies: readonly CompanyJson[],
  newKey: string | null = null,
): Call | null {
  const { method, path, endpoint, company } = request;
  const side = request.request;
  if (side.truncated === true || endpoint === 'payins.confirm') return null;
  const headers = Object.fromEntries(
    Object.entries(side.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const kept = KEPT.flatMap((name) =>
    headers[name.toLowerCase()] === undefined ? [] : [[name, headers[name.toLowerCase()] ?? ''] as const],
  );
  const environment = path.startsWith('/sandbox/') ? 'sandbox' : 'live';
  const owner = companies.find((one) => one.name === company && one.environment === environment);
  const key = owner?.keys.toSorted((a, b) => b.scopes.length - a.scopes.length)[0]?.api_key;
  const body = side.encoding === 'base64' ? { base64: side.body } : { body: side.body };
  return {
    method,
    path,
    headers: {
      ...Object.fromEntries(kept),
      ...(newKey !== null && { 'Idempotency-Key': newKey }),
    },
    ...(side.body !== '' && method !== 'GET' && body),
    ...(headers['authorization'] !== undefined && key !== undefined && { key }),
  };
}
