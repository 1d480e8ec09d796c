/** Faults as the calls that arm them. Pure. */
import type { Possibility } from './actions.js';
import { control, type Deed } from './call.js';

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
