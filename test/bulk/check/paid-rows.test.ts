/** The one line that leads on, chosen by age: a tired person is not asked to choose. */
import { describe, expect, it } from 'vitest';
import { type LeftTotals, PaidRows, type WaysOn, agoText } from '../../../src/bulk/check/paid-rows.js';
import type { KnownPayment } from '../../../src/bulk/check/payments.js';
import { Failure } from '../../../src/runtime/failure.js';

const DAY_MS = 24 * 3_600_000;
const NOW_MS = Date.parse('2026-11-28T12:00:00Z');
const WAYS: WaysOn = {
  again: (words) => `svc payouts batch pay.csv ${words.join(' ')}`,
  resume: (batch) => `svc batches resume ${batch}`,
  repeat: (key) => `svc requests repeat -- ${key}`,
  look: (operation: string) => `svc transactions get ${operation}`,
  events: '"svc events list --all"',
  onlyPays: true,
  reset: null,
};

const payment = (ageMs: number, changes: Partial<KnownPayment> = {}): KnownPayment => ({
  ...{ operation: 'op-1', status: 'confirmed', direction: 'payout', amount: '10.50', currency: 'VES' },
  ...{
    atMs: NOW_MS - ageMs,
    source: { kind: 'feed' },
    isOurs: true,
    row: null,
    accountTail: null,
    twinMark: null,
  },
  ...changes,
});

function refusal(
  rows: readonly (readonly [KnownPayment, boolean])[],
  ways: WaysOn = WAYS,
  all: LeftTotals | null = null,
): Failure {
  const paid = new PaidRows(NOW_MS);
  rows.forEach(([one, isSkippable], at) =>
    paid.add(
      { line: at + 2, reference: `r-${at}`, payments: [one], amount: '10.50', currency: 'VES' },
      isSkippable,
    ),
  );
  try {
    paid.throwIfAny(ways, all);
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  throw new Error('nothing was refused');
}

describe('the way on', () => {
  it.each<[string, readonly (readonly [KnownPayment, boolean])[], string | undefined]>([
    ['young', [[payment(2 * 3_600_000), true]], 'svc payouts batch pay.csv --skip-paid'],
    ['not yet five days', [[payment(5 * DAY_MS - 1), true]], 'svc payouts batch pay.csv --skip-paid'],
    [
      'five days',
      [[payment(5 * DAY_MS), true]],
      'svc payouts batch pay.csv --new-since 2026-11-23T12:00:01Z',
    ],
    [
      'old, whatever the amount',
      [[payment(31 * DAY_MS), false]],
      'svc payouts batch pay.csv --new-since 2026-10-28T12:00:01Z',
    ],
    [
      'both: the newest of the old ones counts',
      [
        [payment(3_600_000), true],
        [payment(31 * DAY_MS), true],
        [payment(40 * DAY_MS), true],
      ],
      'svc payouts batch pay.csv --skip-paid --new-since 2026-10-28T12:00:01Z',
    ],
    [
      'young, another amount',
      [
        [payment(3_600_000), true],
        [payment(3_600_000), false],
      ],
      undefined,
    ],
    ['not dated', [[payment(0, { atMs: null }), true]], 'svc payouts batch pay.csv --skip-paid'],
    [
      'open in a batch',
      [
        [payment(3_600_000), true],
        [payment(1, { operation: null, source: { kind: 'batch', batch: 'oct', line: 3 } }), false],
      ],
      'svc batches resume oct',
    ],
    [
      'open as a request',
      [[payment(1, { operation: null, source: { kind: 'request', key: '-k' } }), false]],
      'svc requests repeat -- -k',
    ],
  ])('%s', (_name, rows, command) => {
    const failure = refusal(rows);
    expect(failure.kind).toBe('unsafe');
    expect(failure.facts).toMatchObject({ code: 'references_paid', outcome: 'not_sent' });
    expect(failure.facts.nextCommand).toBe(command);
    // One line to paste, and the same in the text as for a script.
    const lines = failure.message.split('\n').filter((line) => line.includes('svc '));
    expect(lines).toHaveLength(command === undefined ? 0 : 1);
    if (command !== undefined) expect(lines[0]).toMatch(new RegExp(`: ${command.replaceAll('.', '[.]')}$`));
  });

  it('of a command that plans nothing is to skip, whatever the age', () => {
    const ways = {
      ...WAYS,
      again: (words: readonly string[]) => (words.includes('--new-since') ? null : `x ${words.join(' ')}`),
    };
    expect(refusal([[payment(31 * DAY_MS), true]], ways).facts.nextCommand).toBe('x --skip-paid');
  });

  it('in the sandbox is also to begin anew', () => {
    const { message } = refusal([[payment(1), true]], { ...WAYS, reset: 'svc sandbox reset' });
    expect(message).toMatch(/svc sandbox reset$/);
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
  const mixed = refusal([
    [waits, true],
    [payment(8_000_000, { status: 'pending' }), true],
    [payment(31 * DAY_MS), true],
  ]);
  expect(mixed.message).toContain(
    '2 of these were made within the last 5 days, the last one made 2026-11-28',
  );
  expect(mixed.message).toContain('2 are pending; 1 before that');
});

describe('what is left', () => {
  const ways: WaysOn = {
    ...WAYS,
    again: (words, left) => `svc ${words.join(' ')} ${JSON.stringify([...(left ?? [])])}`,
  };
  const all = new Map([
    ['VES', { rows: 3, total: '100.00' }],
    ['USD', { rows: 1, total: '7' }],
  ]);
  const [young, old] = [payment(3_600_000), payment(31 * DAY_MS)];

  it('is all of it without what is left out', () => {
    const skipping = refusal([[young, true]], ways, all).facts.nextCommand;
    expect(skipping).toBe(
      'svc --skip-paid [["VES",{"rows":2,"total":"89.50"}],["USD",{"rows":1,"total":"7"}]]',
    );
    const again = refusal([[old, true]], ways, all).facts.nextCommand;
    expect(again).toContain('["VES",{"rows":3,"total":"100.00"}]');
    const both = refusal(
      [
        [young, true],
        [old, false],
      ],
      ways,
      all,
    );
    expect(both.facts.nextCommand).toContain('["VES",{"rows":2,"total":"89.50"}]');
  });

  it('is nothing, and no line is printed', () => {
    const none = refusal([[young, true]], ways, new Map([['VES', { rows: 1, total: '10.50' }]]));
    expect(none.facts.nextCommand).toBeUndefined();
    expect(none.message).toContain('Nothing is left to pay.');
    expect(none.message).not.toContain('svc ');
    const settled = refusal([[young, true]], { ...ways, onlyPays: false }, new Map());
    expect(settled.facts.nextCommand).toBe('svc --skip-paid []');
  });

  it('is followed where it is pending', () => {
    const pending = payment(3_600_000, { status: 'pending' });
    const one = refusal([[pending, true]], ways, new Map([['VES', { rows: 1, total: '10.50' }]]));
    expect(one.facts.nextCommand).toBe('svc --skip-paid []');
  });

  it('is not what a command that plans nothing can skip, where the amounts differ', () => {
    const plansNothing = {
      ...ways,
      again: (words: readonly string[]) => (words.includes('--new-since') ? null : 'x'),
    };
    const stuck = refusal([[old, false]], plansNothing, all);
    expect(stuck.facts.nextCommand).toBeUndefined();
    expect(stuck.message).toContain('cannot be skipped');
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
