import { compareDecimals, isDecimal } from '../../contract/money.js';
import { FAILURE_CODES, FAILURES } from '../../contract/failures.js';
import type { Direction } from '../../contract/operation.js';
import { controlCall, keyWithScope, ownerOf, serviceCall, widestKey } from './call.js';
import type { PageCommand, Call } from './call.js';
import type { CompanyJson, OperationItem, OlderPayin } from './answers.js';
import { durationText, nameOf } from './format.js';
import type { LogEntry } from '../log/logged.js';

export interface PageAction {
  readonly label: string;
  readonly subject?: string;
  readonly effect: string | ((value: string) => string);
  readonly tone?: 'good' | 'bad';
  readonly input?: { readonly label: string; readonly value: string; readonly options?: readonly string[] };
  readonly make: (value: string) => PageCommand;
}

export const ALL_FAILURES = FAILURE_CODES.flatMap((code) =>
  FAILURES[code].reasons.map((reason) => `${code}/${reason}`),
);

interface SandboxFacts {
  readonly companies: readonly CompanyJson[];
  readonly code: string;
  readonly nowMs: number | null;
}

export function actionsFor(entry: OperationItem, facts: SandboxFacts): PageAction[] {
  const { type } = entry.operation;
  const scope = type === 'payin' ? 'payins:crear' : 'payouts:crear';
  const key = keyWithScope(ownerOf(facts.companies, entry), scope);
  const cancelActions = key === undefined ? [] : [cancelAction(type, entry.id, key)];
  switch (entry.waits_for?.kind) {
    case 'code':
      return [...(key === undefined ? [] : codeActions(entry, key, facts)), expireAction(entry)];
    case 'payment': {
      const actionsOfOlder = olderActions(entry.waits_for.paid_first ?? null, facts.companies);
      return [...actionsOfOlder, ...paymentActions(entry), expireAction(entry), ...cancelActions];
    }
    case 'bank':
      return [...bankActions(entry), ...(type === 'payin' ? [] : cancelActions)];
    case undefined:
      return [];
  }
}

export const wrongCode = (code: string): string => (code === '000000' ? '111111' : '000000');

export function isOver({ waits_for: waits }: OperationItem, nowMs: number | null): boolean {
  const until = waits?.until ?? null;
  return until !== null && nowMs !== null && Date.parse(until) <= nowMs;
}

function codeActions(entry: OperationItem, key: string, { code, nowMs }: SandboxFacts): PageAction[] {
  const { id } = entry;
  const expiredEffect = isOver(entry, nowMs) ? 'The code has expired: the pay-in fails.' : null;
  const confirm = (payersCode: string): PageCommand => ({
    call: serviceCall('POST', `/v2/payins/${id}/confirm`, key, { code: payersCode }),
    words: ['payins', 'confirm', id, '--code', payersCode],
  });
  return [
    {
      ...{ label: 'Confirm', tone: 'good' },
      effect:
        expiredEffect ?? `The payer gives the code ${code}. The bank answers as the document number says.`,
      make: () => confirm(code),
    },
    {
      ...{ label: 'Wrong code', tone: 'bad' },
      effect: expiredEffect ?? 'A code has one attempt: the pay-in fails.',
      make: () => confirm(wrongCode(code)),
    },
    {
      ...{ label: 'New code', effect: 'The payer gets a new code. The old one stops working.' },
      make: () => ({
        call: serviceCall('POST', `/v2/payins/${id}/resend-code`, key, {}),
        words: ['payins', 'resend', id],
      }),
    },
  ];
}

function olderActions(olderPayin: OlderPayin | null, companies: readonly CompanyJson[]): PageAction[] {
  if (olderPayin === null) return [];
  const { id } = olderPayin;
  const subject = nameOf(olderPayin);
  const key = keyWithScope(ownerOf(companies, olderPayin), 'payins:crear');
  const pay: PageAction = {
    ...{ label: 'Pay the older one', subject, tone: 'good', effect: `The payment of ${subject} arrives.` },
    make: () => paymentCommand(id),
  };
  if (key === undefined) return [pay];
  const effect = `The company cancels ${subject}.`;
  return [pay, { ...cancelAction('payin', id, key), label: 'Cancel the older one', subject, effect }];
}

const paymentCommand = (id: string, amount?: string): PageCommand => ({
  call: controlCall('payments', { for: id, ...(amount !== undefined && { amount }) }),
  words: ['sandbox', 'payment', '--for', id, ...(amount === undefined ? [] : [`--amount=${amount}`])],
});

function paymentActions({ id, operation, waits_for: waits }: OperationItem): PageAction[] {
  const olderPayin = waits?.paid_first ?? null;
  const effectOfPayment =
    olderPayin === null
      ? 'The expected payment arrives.'
      : `${nameOf(olderPayin)} is older and waits for the same payment: it gets the money.`;
  return [
    { ...{ label: 'Pay', tone: 'good' }, effect: effectOfPayment, make: () => paymentCommand(id) },
    {
      label: 'Pay another amount',
      effect: (amount) => {
        if (!isDecimal(amount)) return 'This is not an amount: the sandbox refuses it.';
        if (compareDecimals(amount, operation.amount) === 0)
          return `This is the expected amount. ${effectOfPayment}`;
        return 'Only a pay-in that waits for exactly this amount gets the money.';
      },
      input: { label: 'Amount', value: operation.amount },
      make: (amount) => paymentCommand(id, amount),
    },
  ];
}

const bankActions = ({ id }: OperationItem): PageAction[] => [
  {
    ...{ label: 'Confirm', effect: 'The bank completes it.', tone: 'good' },
    make: () => ({
      call: controlCall(`operations/${id}/settle`, { status: 'confirmed' }),
      words: ['sandbox', 'operations', id, '--settle', 'confirmed'],
    }),
  },
  {
    ...{ label: 'Fail', effect: 'The bank rejects it for this reason.', tone: 'bad' },
    input: { label: 'Code and reason', value: ALL_FAILURES[0] ?? '', options: ALL_FAILURES },
    make: (value) => {
      const [code = '', reason = ''] = value.split('/');
      return {
        call: controlCall(`operations/${id}/settle`, { status: 'failed', failure: { code, reason } }),
        words: ['sandbox', 'operations', id, '--settle', 'failed', '--failure', value],
      };
    },
  },
];

const expireAction = ({ id }: OperationItem): PageAction => ({
  ...{ label: 'Let it expire', effect: 'Its time ends now. The clock does not move.', tone: 'bad' },
  make: () => ({
    call: controlCall(`operations/${id}/expire`, {}),
    words: ['sandbox', 'operations', id, '--expire'],
  }),
});

function cancelAction(direction: Direction, id: string, key: string): PageAction {
  const noun = `${direction}s`;
  return {
    ...{ label: 'Cancel', effect: 'The company cancels it.', tone: 'bad' },
    make: () => ({
      call: serviceCall('POST', `/v2/${noun}/${id}/cancel`, key, {}),
      words: [noun, 'cancel', id],
    }),
  };
}

export interface FaultPreset {
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

export const DISARM_COMMAND: PageCommand = {
  call: controlCall('faults/clear', {}),
  words: ['sandbox', 'fault', '--clear'],
};

const preset = (label: string, effect: string, fault: FaultPreset): PageAction => ({
  ...{ label, effect },
  make: () => faultCommand(fault),
});
const payoutRoute = { route: 'payouts.create', count: 1 };

export const PRESETS: readonly PageAction[] = [
  preset('503 twice', 'The service refuses the next two requests and does nothing.', {
    ...{ route: '*', kind: 'status', status: 503, count: 2 },
  }),
  preset('Answer lost', 'The service makes the next payout, but its answer is lost.', {
    ...payoutRoute,
    kind: 'drop-after',
  }),
  preset('502 all the same', 'The service makes the next payout, but answers 502.', {
    ...payoutRoute,
    ...{ kind: 'status', status: 502, after: true },
  }),
  preset('Slow, 3 s', 'The service does the next request and answers three seconds later.', {
    ...{ route: '*', kind: 'delay', delay_ms: 3000, count: 1 },
  }),
  preset('Garbage', 'The service does the next request, but its answer is garbage.', {
    ...{ route: '*', kind: 'garbage', count: 1 },
  }),
  preset('Daily limit', 'The bank rejects the next payout: it is above the daily limit.', {
    ...payoutRoute,
    ...{ kind: 'outcome', failure: { code: 'limit_exceeded', reason: 'daily_limit' } },
  }),
];

export function faultCommand(fault: FaultPreset): PageCommand {
  const { route, kind, count, status, retry_after: waitSeconds, delay_ms: delayMs, failure } = fault;
  return {
    call: controlCall('faults', fault),
    words: [
      ...['sandbox', 'fault', '--route', route, '--kind', kind, '--count', String(count)],
      ...(status === undefined ? [] : ['--status', String(status)]),
      ...(waitSeconds === undefined ? [] : ['--retry-after', `${String(waitSeconds)}s`]),
      ...(fault.after === undefined ? [] : ['--after']),
      ...(fault.pending === undefined ? [] : ['--pending']),
      ...(delayMs === undefined ? [] : ['--delay', `${String(Math.ceil(delayMs / 1000))}s`]),
      ...(failure === undefined ? [] : ['--failure', `${failure.code}/${failure.reason}`]),
    ],
  };
}

export const clockCommand = (seconds: number): PageCommand => ({
  call: controlCall('clock', { advance_seconds: seconds }),
  words: ['sandbox', 'clock', 'advance', `${String(seconds)}s`],
});

const UNASKED_STEP_MAX_S = 48 * 3600;

export function questionOfMove(seconds: number): string | null {
  if (seconds <= UNASKED_STEP_MAX_S) return null;
  return `The clock cannot go back. Everything due in ${durationText(seconds * 1000)} happens now. Advance it?`;
}

export const RESET_COMMAND: PageCommand = { call: controlCall('reset', {}), words: ['sandbox', 'reset'] };

export const CLOCK_STEPS: readonly PageAction[] = [
  { label: '+1 min', effect: 'A minute passes.', make: () => clockCommand(60) },
  { label: '+1 h', effect: 'An hour passes.', make: () => clockCommand(3600) },
  { label: '+48 h', effect: 'Two days pass.', make: () => clockCommand(172_800) },
];

export function pingCommand({ name, environment }: Pick<CompanyJson, 'name' | 'environment'>): PageCommand {
  return {
    call: controlCall('ping', { company: name, environment }),
    words: ['sandbox', 'ping', `--company=${name}`, '--environment', environment],
  };
}

export const registerCommand = (key: string, url: string): PageCommand => ({
  call: serviceCall('POST', '/v2/webhook-endpoints', key, { url }),
  words: ['webhooks', 'register', `--url=${url}`],
});

const REPEATED_HEADERS = ['Idempotency-Key', 'Content-Type'];

export function repeatCall(
  request: LogEntry,
  companies: readonly CompanyJson[],
  newKey: string | null = null,
): Call | null {
  const { method, path, endpoint, company } = request;
  const side = request.request;
  if (side.truncated === true || endpoint === 'payins.confirm') return null;
  const { headers } = side;
  const repeatedHeaders = REPEATED_HEADERS.filter((name) => headers[name.toLowerCase()] !== undefined);
  const environment = path.startsWith('/sandbox/') ? 'sandbox' : 'live';
  const apiKey = widestKey(ownerOf(companies, { company, environment }));
  const body = side.encoding === 'base64' ? { base64: side.body } : { body: side.body };
  return {
    method,
    path,
    headers: {
      ...Object.fromEntries(repeatedHeaders.map((name) => [name, headers[name.toLowerCase()] ?? ''])),
      ...(newKey !== null && { 'Idempotency-Key': newKey }),
    },
    ...(side.body !== '' && method !== 'GET' && body),
    ...(headers['authorization'] !== undefined && apiKey !== undefined && { key: apiKey }),
  };
}
