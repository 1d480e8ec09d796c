/** What can happen to an operation, by what it waits for: each as the call that makes it happen. Pure. */
import { FAILURE_CODES, FAILURES } from '../../contract/failures.js';
import { control, keyWith, service, type Deed } from './call.js';
import type { CompanyJson, Listed } from './types.js';

/** What is asked for before it happens. */
export interface AskedFor {
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

export interface KnownSandbox {
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
