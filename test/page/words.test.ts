import { describe, expect, it } from 'vitest';
import { actionsFor, questionOfMove, type PageAction } from '../../src/sandbox/page/actions.js';
import type { CompanyJson, OperationItem } from '../../src/sandbox/page/answers.js';
import {
  clockOffsetText,
  durationText,
  operationIn,
  operationText,
  sandboxText,
} from '../../src/sandbox/page/format.js';
import { shortTime, startOfDay, statusText, zoneLabel } from '../../src/sandbox/page/format.js';

const NOW = '2026-11-23T02:30:00Z';
const NOW_MS = Date.parse(NOW);

describe('a time', () => {
  it.each([
    [-240, '22 Nov 22:30:00', 'UTC-4'],
    [330, '23 Nov 08:00:00', 'UTC+5:30'],
    [0, '23 Nov 02:30:00', 'UTC'],
  ])('in a zone %d minutes from UTC is %s %s', (minutes, time, label) => {
    const offset = (): number => minutes;
    expect([shortTime(NOW, 'local', offset), zoneLabel(NOW_MS, 'local', offset)]).toEqual([time, label]);
    const inUtc = [shortTime(NOW, 'UTC', offset), zoneLabel(NOW_MS, 'UTC', offset)];
    expect(inUtc).toEqual(['23 Nov 02:30:00', 'UTC']);
  });

  it('is as it is where it is none', () => expect(shortTime('soon', 'local')).toBe('soon'));

  it('a day begins in its zone, and ends where the next one begins', () => {
    expect(startOfDay('2026-02-28', 'UTC')).toBe('2026-02-28T00:00:00Z');
    expect(startOfDay('2026-02-28', 'UTC', 1)).toBe('2026-03-01T00:00:00Z');
    expect(startOfDay('2026-02-28', 'local')).toBe(new Date(2026, 1, 28).toISOString().replace('.000', ''));
    for (const day of ['', 'x', '2026-02-30']) expect(startOfDay(day, 'UTC')).toBeNull();
  });

  it.each([
    [7_200_000, '2 h ahead of real time.'],
    [-7_200_000, '2 h behind real time.'],
    [-20_000, 'The same as real time.'],
  ])('a clock that is %d ms off is %s', (offsetMs, text) => expect(clockOffsetText(offsetMs)).toBe(text));

  it('a long way is told in its two greatest units', () => expect(durationText(176_400_000)).toBe('2 d 1 h'));
});

const PAYIN = {
  ...{ id: '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f', type: 'payin', method: 'debit_otp', country: 'VE' },
  ...{ currency: 'VES', amount: '75.90', status: 'pending', pending_reason: 'awaiting_code', failure: null },
  ...{ reference: 'order-1', created_at: NOW, updated_at: NOW, code_expires_at: '2026-11-23T02:35:00Z' },
} as unknown as OperationItem['operation'];
const FAILED = { code: 'code_rejected', reason: 'code_expired', message: '' } as const;

describe('what came of it', () => {
  it.each([
    ['Pending: awaiting code, valid for 5 min', PAYIN],
    ['Pending: awaiting code, which has expired', { ...PAYIN, code_expires_at: NOW }],
    ['Failed: code expired', { ...PAYIN, status: 'failed', failure: FAILED }],
    ['Confirmed', { ...PAYIN, status: 'confirmed', pending_reason: null }],
  ] as const)('%s', (text, operation) => {
    expect(statusText(operation, NOW_MS)).toBe(text);
    expect(operationText(operation, NOW_MS)).toBe(`${text} · order-1 · 75.90 VES`);
  });

  it('is of an operation, wherever it is in the answer, and of nothing else', () => {
    expect(operationIn(PAYIN)).toEqual(PAYIN);
    expect(operationIn({ id: 'x', operation: PAYIN, waits_for: null })).toEqual(PAYIN);
    for (const other of [null, {}, { attributed_to: null }, { error: { code: 'x' } }])
      expect(operationIn(other)).toBeNull();
  });

  it.each([
    [{ armed: 2 }, 'Armed for the next 2'],
    [{ armed: 1 }, 'Armed for the next one'],
    [{ cleared: 3 }, 'Disarmed: 3'],
    [{ now: NOW }, `The time is now at ${NOW}`],
    [{ now: NOW, expired_payins: 1 }, `The time is now at ${NOW}: 1 pay-in expired`],
    [
      { now: NOW, expired_payins: 1698, settled_operations: 2, due_deliveries: 12 },
      `The time is now at ${NOW}: 1,698 pay-ins expired, 2 operations settled, 12 deliveries tried`,
    ],
    [{ imported: true, now: NOW, operations: 1200 }, 'Imported: 1,200 operations'],
    [{ api_key: 'svc_test_0' }, 'Key made: svc_test_0'],
    [{ reset: true }, 'The sandbox begins again'],
    [{ url: 'https://a.example/', secret: 'whsec_0' }, 'Registered: https://a.example/'],
    [{ balances: [] }, null],
  ])('%j is %s', (answer, text) => expect(sandboxText(answer, (iso) => `at ${iso}`)).toBe(text));
});

const KEYED: CompanyJson = {
  ...{ name: 'default', environment: 'sandbox', balances: [], webhooks: [] },
  keys: [{ api_key: 'svc_test_0', scopes: ['payins:crear'], created_by: 'company' }],
};
const WHOSE = { id: PAYIN.id, environment: 'sandbox', company: 'default', direction: 'payin' } as const;
const actions = (waits: OperationItem['waits_for'], nowMs = NOW_MS): PageAction[] => {
  const listed = { ...WHOSE, operation: PAYIN, waits_for: waits };
  return actionsFor(listed, { companies: [KEYED], code: '123456', nowMs });
};
const effectOf = (all: readonly PageAction[], label: string, value = ''): string | undefined => {
  const effect = all.find((one) => one.label === label)?.effect;
  return typeof effect === 'function' ? effect(value) : effect;
};

describe('before the click', () => {
  it('a code that has expired fails its pay-in, right or wrong', () => {
    const until = '2026-11-23T02:31:00Z';
    const late = actions({ kind: 'code', until }, Date.parse(until));
    for (const label of ['Confirm', 'Wrong code'])
      expect(effectOf(late, label)).toBe('The code has expired: the pay-in fails.');
    expect(effectOf(actions({ kind: 'code', until }), 'Confirm')).toContain('123456');
  });

  it('another amount that is the right one pays it', () => {
    const waiting = actions({ kind: 'payment', until: null, paid_first: null });
    const effect = (amount: string) => effectOf(waiting, 'Pay another amount', amount);
    for (const amount of ['75.90', '75.9', '075.900'])
      expect(effect(amount)).toBe('This is the expected amount. The expected payment arrives.');
    expect(effect('75.91')).toContain('Only a pay-in that waits for exactly this amount');
    expect(effect('-')).toContain('not an amount');
  });

  it('an older pay-in that gets the money is named, and is paid or cancelled first', () => {
    const first = { id: 'older-id', reference: 'rent', company: 'default', environment: 'sandbox' } as const;
    const all = actions({ kind: 'payment', until: null, paid_first: first });
    expect(effectOf(all, 'Pay')).toBe('rent is older and waits for the same payment: it gets the money.');
    const made = all
      .filter(({ subject }) => subject === 'rent')
      .map(({ label, make }) => [label, make('').words]);
    expect(made.map(([label, words]) => `${String(label)}: ${[words].flat().join(' ')}`)).toEqual([
      'Pay the older one: sandbox payment --for older-id',
      'Cancel the older one: payins cancel older-id',
    ]);
  });

  it('the clock is asked about where it goes further than two days', () => {
    expect(questionOfMove(172_800)).toBeNull();
    expect(questionOfMove(172_801)).toContain('cannot go back');
  });
});
