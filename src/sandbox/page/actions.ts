/** What can be done to the sandbox, each as the call that does it: to an operation by what it waits for, to the next requests, to the clock, to a receiver; and a request of the log once more. Pure. */
import { compareDecimals, isDecimal } from '../../contract/money.js';
import { FAILURE_CODES, FAILURES } from '../../contract/failures.js';
import { control, keyWith, service, type Deed, type Call } from './call.js';
import type { CompanyJson, Listed, PaidFirst } from './answers.js';
import { duration } from './format.js';
import type { LogEntry } from '../log/logged.js';

export interface Possibility {
  readonly label: string;
  /** What it is done to, where that is not what is looked at. */
  readonly about?: string;
  /** What is true afterwards, in a sentence; by what is asked for, where that decides it. */
  readonly effect: string | ((value: string) => string);
  /** Asked before, because nothing undoes it. */
  readonly question?: string;
  readonly tone?: 'good' | 'bad';
  /** What is asked for before it happens. */
  readonly asked?: {
    readonly label: string;
    readonly value: string;
    readonly options?: readonly string[];
  };
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
  /** The sandbox's time; null where it is not known. */
  readonly nowMs: number | null;
}

export function actionsFor(listed: Listed, known: KnownSandbox): Possibility[] {
  const scope = listed.operation.type === 'payin' ? 'payins:crear' : 'payouts:crear';
  const key = keyWith(known.companies, listed, scope);
  switch (listed.waits_for?.kind) {
    case 'code':
      return [...(key === undefined ? [] : codeActions(listed, key, known)), expires(listed)];
    case 'payment':
      return [
        ...olderActions(listed.waits_for.paid_first ?? null, known.companies),
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

/** Whether what it waits for has ended by the sandbox's clock: a code does, and its pay-in waits on. */
export function isOver({ waits_for: waits }: Listed, nowMs: number | null): boolean {
  const until = waits?.until ?? null;
  return until !== null && nowMs !== null && Date.parse(until) <= nowMs;
}

function codeActions(listed: Listed, key: string, { code: right, nowMs }: KnownSandbox): Possibility[] {
  const { id } = listed;
  const ended = isOver(listed, nowMs) ? 'The code has expired: the pay-in fails.' : null;
  const confirm = (code: string): Deed => ({
    call: service('POST', `/v2/payins/${id}/confirm`, key, { code }),
    words: ['payins', 'confirm', id, '--code', code],
  });
  return [
    {
      ...{ label: 'Confirm', tone: 'good' },
      effect: ended ?? `The payer gives the code ${right}. The bank answers as the document number says.`,
      make: () => confirm(right),
    },
    {
      ...{ label: 'Wrong code', tone: 'bad' },
      effect: ended ?? 'A code has one attempt: the pay-in fails.',
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

/** Money goes to the oldest that fits: a person who means the younger one deals with that first. */
function olderActions(first: PaidFirst | null, companies: readonly CompanyJson[]): Possibility[] {
  if (first === null) return [];
  const { id, reference } = first;
  const about = reference ?? id.slice(0, 8);
  const key = keyWith(companies, first, 'payins:crear');
  return [
    {
      ...{ label: 'Pay the older one', about, tone: 'good' },
      effect: `The payment of ${about} arrives.`,
      make: () => paying(id),
    },
    ...(key === undefined
      ? []
      : [
          {
            ...cancels({ id, operation: { type: 'payin' } }, key),
            ...{ label: 'Cancel the older one', about, effect: `The company cancels ${about}.` },
          },
        ]),
  ];
}

function paying(id: string, amount?: string): Deed {
  return {
    call: control('payments', { for: id, ...(amount !== undefined && { amount }) }),
    words: ['sandbox', 'payment', '--for', id, ...(amount === undefined ? [] : [`--amount=${amount}`])],
  };
}

function paymentActions({ id, operation, waits_for: waits }: Listed): Possibility[] {
  const first = waits?.paid_first ?? null;
  const expected =
    first === null
      ? 'The expected payment arrives.'
      : `${first.reference ?? first.id.slice(0, 8)} is older and waits for the same payment: it gets the money.`;
  return [
    { ...{ label: 'Pay', tone: 'good' }, effect: expected, make: () => paying(id) },
    {
      label: 'Pay another amount',
      effect: (amount) => {
        if (!isDecimal(amount)) return 'This is not an amount: the sandbox refuses it.';
        if (compareDecimals(amount, operation.amount) === 0)
          return `This is the expected amount. ${expected}`;
        return 'Only a pay-in that waits for exactly this amount gets the money.';
      },
      asked: { label: 'Amount', value: operation.amount },
      make: (amount) => paying(id, amount),
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
      asked: { label: 'Code and reason', value: ALL_FAILURES[0] ?? '', options: ALL_FAILURES },
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

function cancels(
  { id, operation }: { readonly id: string; readonly operation: Pick<Listed['operation'], 'type'> },
  key: string,
): Possibility {
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
  readonly after?: true;
  readonly delay_ms?: number;
  readonly pending?: true;
  readonly failure?: { readonly code: string; readonly reason: string };
}

export const DISARMING: Deed = { call: control('faults/clear', {}), words: ['sandbox', 'fault', '--clear'] };

const preset = (label: string, effect: string, fault: NewFault): Possibility => ({
  ...{ label, effect },
  make: () => armingOf(fault),
});
const onPayout = { route: 'payouts.create', count: 1 };

/** What is often wanted. */
export const PRESETS: readonly Possibility[] = [
  preset('503 twice', 'The service refuses the next two requests and does nothing.', {
    ...{ route: '*', kind: 'status', status: 503, count: 2 },
  }),
  preset('Answer lost', 'The service makes the next payout, but its answer is lost.', {
    ...onPayout,
    kind: 'drop-after',
  }),
  preset('502 all the same', 'The service makes the next payout, but answers 502.', {
    ...onPayout,
    ...{ kind: 'status', status: 502, after: true },
  }),
  preset('Slow, 3 s', 'The service does the next request and answers three seconds later.', {
    ...{ route: '*', kind: 'delay', delay_ms: 3000, count: 1 },
  }),
  preset('Garbage', 'The service does the next request, but its answer is garbage.', {
    ...{ route: '*', kind: 'garbage', count: 1 },
  }),
  preset('Daily limit', 'The bank rejects the next payout: it is above the daily limit.', {
    ...onPayout,
    ...{ kind: 'outcome', failure: { code: 'limit_exceeded', reason: 'daily_limit' } },
  }),
];

export function armingOf(fault: NewFault): Deed {
  const { route, kind, count, status, retry_after: wait, delay_ms: delay, failure } = fault;
  return {
    call: control('faults', fault),
    words: [
      ...['sandbox', 'fault', '--route', route, '--kind', kind, '--count', String(count)],
      ...(status === undefined ? [] : ['--status', String(status)]),
      ...(wait === undefined ? [] : ['--retry-after', `${String(wait)}s`]),
      ...(fault.after === undefined ? [] : ['--after']),
      ...(fault.pending === undefined ? [] : ['--pending']),
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

/** A longer way is asked about: the clock never goes back. */
const ASKED_FROM_S = 172_800;

/** Null where nothing is asked. */
export function questionOfMove(seconds: number): string | null {
  if (seconds <= ASKED_FROM_S) return null;
  return `The clock cannot go back. Everything due in ${duration(seconds * 1000)} happens now. Advance it?`;
}

export const RESETTING: Deed = { call: control('reset', {}), words: ['sandbox', 'reset'] };

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

/** A url for the events of the company of that key. */
export function registeringOf(key: string, url: string): Deed {
  return {
    call: service('POST', '/v2/webhook-endpoints', key, { url }),
    words: ['webhooks', 'register', `--url=${url}`],
  };
}

/** What a request carried beside its body and its key. */
const KEPT = ['Idempotency-Key', 'Content-Type'];

/**
 * Null where the log does not hold all of it: what was cut, and a code, which is kept nowhere.
 * @param newKey an idempotency key in the place of its own; null keeps that
 */
export function again(
  request: LogEntry,
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
