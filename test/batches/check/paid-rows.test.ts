import { describe, expect, it } from 'vitest';
import {
  type TotalsToSend,
  PaidRows,
  type NextCommands,
  agoText,
} from '../../../src/batches/check/paid-rows.js';
import type { KnownPayment } from '../../../src/payments/known/payments.js';
import { Failure } from '../../../src/runtime/failure.js';

const DAY_MS = 24 * 3_600_000;
const NOW_MS = Date.parse('2026-11-28T12:00:00Z');
const WAYS: NextCommands = {
  withWords: (words) => `svc payouts batch pay.csv ${words.join(' ')}`,
  resume: (batch) => `svc batches resume ${batch}`,
  repeatRequest: (key) => `svc requests repeat -- ${key}`,
  recordOutcome: (key) => `svc requests resolve --operation ID -- ${key}`,
  showOperation: (operation: string) => `svc transactions get ${operation}`,
  takesSince: true,
  listPayments: (reference) => `svc operations list --reference ${reference}`,
  resetSandbox: null,
};

const payment = (ageMs: number, changes: Partial<KnownPayment> = {}): KnownPayment => ({
  ...{ operation: 'op-1', status: 'confirmed', direction: 'payout', amount: '10.50', currency: 'VES' },
  ...{ atMs: NOW_MS - ageMs, source: { kind: 'feed' }, isOurs: true, row: null, accountTail: null },
  twinMark: null,
  ...changes,
});

function refusal(
  rows: readonly (readonly [KnownPayment, boolean])[],
  ways: NextCommands = WAYS,
  all: TotalsToSend | null = null,
): Failure {
  const paid = new PaidRows(NOW_MS);
  for (const [at, [one, isSkippable]] of rows.entries()) {
    const row = { line: at + 2, reference: `r-${at}`, payments: [one], amount: '10.50', currency: 'VES' };
    paid.add(row, isSkippable);
  }
  try {
    paid.throwIfAny(ways, all);
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  throw new Error('nothing was refused');
}

const SKIP = 'svc payouts batch pay.csv --skip-paid';
const ANOTHER = 'If you mean another payment: svc payouts batch pay.csv --new-since ';
const pending = (ageMs: number): KnownPayment => payment(ageMs, { status: 'pending' });
const open = (source: KnownPayment['source']): KnownPayment =>
  payment(1, { operation: null, status: 'unknown', source });

describe('the way on', () => {
  const HOUR_MS = 3_600_000;
  const FORGOTTEN = { kind: 'request', key: 'k', isForgotten: true } as const;
  const [HOUR, MONTH] = [payment(HOUR_MS), payment(31 * DAY_MS)];
  const MONTH_AGO = '2026-10-28T12:00:01Z';
  const LOOK = 'svc operations list --reference';
  const openRow = open({ kind: 'batch', batch: 'oct', line: 3 });
  const skippable = (...all: KnownPayment[]) => all.map((one) => [one, true] as const);
  const not = (one: KnownPayment, ...before: KnownPayment[]) => [
    ...skippable(...before),
    [one, false] as const,
  ];
  it.each<[string, readonly (readonly [KnownPayment, boolean])[], string, string | null]>([
    ['paid an hour ago', skippable(HOUR), SKIP, '2026-11-28T11:00:01Z'],
    ['paid a month ago', skippable(MONTH), SKIP, MONTH_AGO],
    ['the newest of two', skippable(payment(3_600_500), payment(40 * DAY_MS)), SKIP, '2026-11-28T11:00:00Z'],
    ['paid within this second: nobody means another one', skippable(payment(0)), SKIP, null],
    ['pending for an hour', skippable(pending(HOUR_MS)), SKIP, null],
    ['pending for a month', skippable(pending(31 * DAY_MS)), SKIP, null],
    ['paid and pending', skippable(MONTH, pending(31 * DAY_MS)), SKIP, null],
    ['not dated', skippable(payment(0, { atMs: null })), SKIP, null],
    ['another amount, however old', not(MONTH, MONTH), `${LOOK} r-1`, MONTH_AGO],
    ['another amount, and pending', not(pending(6 * DAY_MS)), `${LOOK} r-0`, null],
    ['open in a batch', not(openRow, HOUR), 'svc batches resume oct', null],
    ['open as a request', not(open({ kind: 'request', key: '-k' })), 'svc requests repeat -- -k', null],
    ['forgotten', not(open(FORGOTTEN), HOUR), `${LOOK} r-1`, null],
  ])('%s', (_name, rows, command, since) => {
    const failure = refusal(rows);
    expect(failure.kind).toBe('unsafe');
    const facts = { code: 'references_paid', outcome: 'not_sent', nextCommand: command };
    expect(failure.facts).toMatchObject(facts);
    expect(failure.message).toContain(`: ${command}`);
    if (since === null) expect(failure.message).not.toContain('--new-since');
    else expect(failure.message).toContain(`${ANOTHER}${since}`);
    expect(failure.message).not.toContain('--new-payment');
  });

  it('of a command that plans nothing, or skips already, says nothing of another payment', () => {
    const { facts, message } = refusal([[payment(31 * DAY_MS), true]], { ...WAYS, takesSince: false });
    expect(facts.nextCommand).toBe(SKIP);
    expect(message).not.toContain('--new-since');
  });

  it('of a command that cannot skip is to look', () => {
    const { facts } = refusal([[payment(31 * DAY_MS), true]], { ...WAYS, withWords: () => null });
    expect(facts.nextCommand).toBe('svc operations list --reference r-0');
  });

  it('in the sandbox is also to begin anew', () => {
    const { message } = refusal([[payment(1), true]], { ...WAYS, resetSandbox: 'svc sandbox reset' });
    expect(message).toMatch(/^To empty the sandbox: svc sandbox reset$/m);
  });
});

it('names twenty rows and counts the rest', () => {
  const { message } = refusal(Array.from({ length: 312 }, () => [payment(7_200_000), true] as const));
  expect(message).toContain('312 rows of this batch were paid already');
  expect(message.match(/^line /gm)).toHaveLength(20);
  expect(message).toContain('and 292 more');
  expect(message).toContain('line 2: r-0: op-1, 10.50 VES, confirmed on 2026-11-28T10:00:00Z');
  expect(message).toContain('(2 hours ago)');
});

it('takes what nobody dates for made just now', () => {
  expect(refusal([[payment(0, { atMs: null }), true]]).message).toContain('2026-11-28T12:00:00Z (just now)');
});

it('does not call paid what is pending, and says that it is followed', () => {
  const waits = payment(7_200_000, { status: 'pending' });
  const { message } = refusal([
    [waits, true],
    [payment(8_000_000), true],
  ]);
  expect(message).toContain('2 rows of this batch were paid already, or may have been.');
  expect(refusal([[waits, true]]).message).toContain('1 row of this batch has a pending payment already.');
  expect(message).toContain(
    'The last one was made 2026-11-28T10:00:00Z (2 hours ago), and 1 is pending. To pay only the others, and wait for the pending ones: svc',
  );
});

describe('what is left', () => {
  const ways: NextCommands = {
    ...WAYS,
    withWords: (words, left) => `svc ${words.join(' ')} ${JSON.stringify([...(left ?? [])])}`,
  };
  const all = new Map([
    ['VES', { rows: 3, total: '100.00' }],
    ['USD', { rows: 1, total: '7' }],
  ]);

  it('is all of it without what is left out, and another payment is all of it', () => {
    const rows = [payment(3_600_000), payment(31 * DAY_MS)].map((one) => [one, true] as const);
    const { facts, message } = refusal(rows, ways, all);
    const usd = '["USD",{"rows":1,"total":"7"}]';
    expect(facts.nextCommand).toBe(`svc --skip-paid [["VES",{"rows":1,"total":"79.00"}],${usd}]`);
    const whole = `[["VES",{"rows":3,"total":"100.00"}],${usd}]`;
    expect(message).toContain(`--new-since 2026-11-28T11:00:01Z ${whole}`);
  });

  it('is nothing, and is recorded, or waited for', () => {
    const one = new Map([['VES', { rows: 1, total: '10.50' }]]);
    const none = refusal([[payment(3_600_000), true]], ways, one);
    expect(none.message).toContain('Nothing else is left to pay. To record that: svc --skip-paid []');
    expect(none.facts.nextCommand).toBe('svc --skip-paid []');
    expect(refusal([[pending(3_600_000), true]], ways, one).message).toContain(
      'To record that, and wait for the pending ones: svc --skip-paid []',
    );
  });
});

it('of a row with several open payments names the one that can be repeated', () => {
  const request = (key: string, isForgotten?: boolean): KnownPayment =>
    payment(1, { operation: null, source: { kind: 'request', key, isForgotten } });
  const paid = new PaidRows(NOW_MS);
  const payments = [request('gone', true), request('here')];
  paid.add({ line: 2, reference: 'r', payments, amount: '10.50', currency: 'VES' }, false);
  expect(() => paid.throwIfAny(WAYS, null)).toThrow('svc requests repeat -- here');
});

it('refuses nothing where nothing was paid', () => {
  expect(() => new PaidRows(NOW_MS).throwIfAny(WAYS, null)).not.toThrow();
});

it.each([
  [-5, 'just now'],
  [59_999, 'just now'],
  [60_000, 'a minute ago'],
  [59 * 60_000, '59 minutes ago'],
  [3_600_000, 'an hour ago'],
  [47 * 3_600_000, '47 hours ago'],
  [48 * 3_600_000, '2 days ago'],
  [31 * DAY_MS, '31 days ago'],
])('%i ms is %s', (ms, text) => expect(agoText(ms)).toBe(text));
