import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpoint, ENDPOINT_IDS, type EndpointId } from '../../src/contract/endpoints.js';
import { FAILURES, REASON_MEANINGS } from '../../src/contract/failures.js';
import { renderEventLine } from '../../src/output/event-line.js';
import { renderAnything, renderView } from '../../src/output/views.js';
import { widthOf } from '../../src/output/width.js';
import type { Reader } from '../../src/output/style.js';
import { ANSWERS, bytes, FAILED_PAYOUT, json, PAYIN, readerOf } from './samples.js';

const view = (id: EndpointId, value: unknown, width = 80, known: Partial<Reader> = {}): string =>
  renderView(endpoint(id), json(value), readerOf(width, known));

const CARACAS = { offsetMinutes: () => -240 };

const GOLDEN: Readonly<Record<keyof typeof ANSWERS, readonly number[]>> = {
  ...{ 'payins.get': [80], 'payouts.get': [80], 'webhooks.register': [80] },
  ...{ methods: [], banks: [40], balances: [80] },
  ...{ 'events.list': [80, 200], capabilities: [80, 200] },
};

describe.each([40, 60, 80, 120, 200])('at %i columns', (width) => {
  it.each(Object.keys(ANSWERS) as (keyof typeof ANSWERS)[])('%s', async (id) => {
    const text = view(id, ANSWERS[id], width, { zone: CARACAS });
    for (const line of text.split('\n')) {
      // An id, a url and a secret are never wrapped, so each may be alone on a long line.
      if (!/^ {2}\S+$/.test(line)) expect(widthOf(line)).toBeLessThanOrEqual(width);
    }
    const wide = view(id, ANSWERS[id], 400, { zone: CARACAS });
    for (const [whole] of wide.matchAll(/\d+\.\d\d VES|whsec_\w+|https:\S+|[✓✗○] \w+|invalid_account/g))
      expect(text).toContain(whole);
    if (GOLDEN[id].includes(width)) await expect(text).toMatchFileSnapshot(`golden/${id}-${width}.txt`);
  });
});

describe('an event', () => {
  const eventOf = (reason: string | null) => ({
    ...{ id: '3f0c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f', type: 'payout.failed' },
    ...{ occurred_at: '2026-09-23T15:04:05Z', data: { ...FAILED_PAYOUT, pending_reason: reason } },
  });

  it.each([40, 80, 200])('shows a reason to wait that is there beside its end, at %i columns', (width) => {
    const list = (reason: string | null) => view('events.list', { events: [eventOf(reason)] }, width);
    expect(list('processing')).toMatch(/Pending reason[^]*processing/);
    expect(list('processing')).toContain('invalid_account');
    expect(list(null)).not.toContain('Pending reason');
  });

  it.each([40, 60, 80])('breaks no word of its line at %i columns', (width) => {
    const words = (columns: number): string[] =>
      renderEventLine(json(eventOf('processing')), readerOf(columns)).split(/\s+/);
    const lines = renderEventLine(json(eventOf('processing')), readerOf(width))
      .trimEnd()
      .split('\n');
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
    expect(words(width)).toEqual(words(400));
  });

  it('shows it on its line too', () => {
    const line = (reason: string | null) => renderEventLine(json(eventOf(reason)), readerOf(200));
    expect(line('pro\u001bcessing')).toContain('invalid_account  pending_reason: pro');
    expect(line('pro\u001bcessing')).not.toContain('\u001b');
    expect(line(null)).not.toContain('pending_reason');
  });
});

const FAILED = { status: 'failed', pending_reason: null };
const SOON = '2026-09-25T00:00:00Z';
const PROCESSING = 'the bank has not answered yet; it resolves by itself';

describe('an operation', () => {
  it.each([
    [{ pending_reason: 'awaiting_code' }, 'pending: waiting for the code until 2026-09-23 15:04:05Z'],
    [{ pending_reason: 'awaiting_code', code_expires_at: null }, 'pending: waiting for the code'],
    [
      { pending_reason: 'awaiting_payment', expires_at: SOON },
      'pending: waiting for the payment until 2026-09-25 00:00:00Z',
    ],
    [{ pending_reason: 'processing' }, `pending: processing, ${PROCESSING}`],
    [{ pending_reason: 'under_review' }, 'pending: under_review'],
    [{ pending_reason: null }, 'pending'],
    [{ status: 'confirmed', pending_reason: 'processing' }, 'confirmed: paid (pending_reason: processing)'],
    [{ status: 'held', pending_reason: 'awaiting_code' }, 'held (pending_reason: awaiting_code)'],
    [{ status: 'confirmed', pending_reason: null }, 'confirmed: paid'],
    [{ status: 'confirmed', pending_reason: null, type: 'payout' }, 'confirmed: paid out'],
    [{ status: 'confirmed', pending_reason: null, type: 'toString' }, 'confirmed'],
    [{ pending_reason: 'toString' }, 'pending: toString'],
    [{ status: 'reversed', pending_reason: 'processing' }, 'reversed (pending_reason: processing)'],
    [{ ...FAILED, failure: null }, 'failed'],
    [{ ...FAILED, failure: { code: 'expired', reason: 'expired' } }, 'failed: the operation expired'],
    [{ ...FAILED, failure: { code: 'new_code', reason: 'new_reason' } }, 'failed: new_code: new_reason'],
    [{ ...FAILED, failure: { code: 'rejected', reason: 'other' } }, 'failed: the operation was rejected'],
  ])('says its status in words: %j', (changes, words) => {
    const line = view('payins.get', { ...PAYIN, ...changes }, 120)
      .split('\n')
      .find((text) => text.startsWith('Status'));
    expect(line).toMatch(/^Status +/);
    expect(line?.replace(/^Status +(?:[✓✗○] )?/, '')).toBe(words);
  });

  const awaitingPayment = {
    ...PAYIN,
    ...{ pending_reason: 'awaiting_payment', code_expires_at: null, expires_at: '2026-09-25T14:59:05Z' },
  };

  it.each([
    ['2026-09-23T14:59:33Z', PAYIN, 'pending: waiting for the code, 4:32 left'],
    ['2026-09-23T15:04:05Z', PAYIN, 'pending: the code has expired; "svc payins resend" asks for a new one'],
    ['2026-09-23T13:00:00Z', PAYIN, 'pending: waiting for the code, 5:00 left'],
    ['2026-09-23T13:00:00Z', { ...PAYIN, updated_at: null }, 'pending: waiting for the code, 2 h 4 min left'],
    ['2026-09-23T14:59:06Z', awaitingPayment, 'pending: waiting for the payment, 47 h 59 min left'],
    ['2026-09-25T15:00:00Z', awaitingPayment, 'pending: the time for the payment is over'],
    [
      '2026-09-23T15:00:00Z',
      { ...PAYIN, code_expires_at: 'soon' },
      'pending: waiting for the code until soon',
    ],
  ])('counts down by the time of the service: %s', (now, operation, words) => {
    const text = view('payins.get', operation, 120, { nowMs: Date.parse(now) });
    expect(text).toMatch(new RegExp(`^Status +○ ${words.replaceAll('.', '\\.')}$`, 'm'));
  });

  it('shows its times in the zone of the reader, and what the caller wrote as it was', () => {
    const written = '2026-09-23T14:59:05Z';
    const text = view(
      'payins.get',
      { ...PAYIN, captured_at: written, reference: written, metadata: { paid_at: written } },
      80,
      { zone: CARACAS },
    );
    expect(text).toMatch(/^ {2}captured_at +2026-09-23 10:59:05-0400$/m);
    expect(text).toMatch(/^Reference +2026-09-23T14:59:05Z$/m);
    expect(text).toMatch(/^ {2}paid_at +2026-09-23T14:59:05Z$/m);
  });

  it('shows its times in the order in which they happened, and its reference at the top', () => {
    const timesOf = (operation: object): (string | undefined)[] =>
      [
        ...view('payins.get', operation, 120).matchAll(
          /^ {2}(Created(?! by)|Code valid until|Confirmed|Updated) /gm,
        ),
      ].map(([, label]) => label);
    const confirmed = { ...PAYIN, confirmed_at: '2026-09-23T15:00:00Z', updated_at: '2026-09-23T15:00:01Z' };
    expect(timesOf(confirmed)).toEqual(['Created', 'Confirmed', 'Updated', 'Code valid until']);
    const late = { ...confirmed, code_expires_at: '2026-09-23T14:59:30Z' };
    expect(timesOf(late)).toEqual(['Created', 'Code valid until', 'Confirmed', 'Updated']);
    expect(view('payins.get', { ...PAYIN, reference: 'rent-1' }, 80)).toMatch(
      /^Id .*\nReference +rent-1\nStatus /,
    );
  });

  it('explains every failure of the specification', () => {
    for (const [code, { meaning, reasons }] of Object.entries(FAILURES)) {
      for (const reason of reasons) {
        const text = view('payouts.get', { ...FAILED_PAYOUT, failure: { code, reason, message: '' } }, 400);
        if (code !== 'code_rejected') expect(text).toContain(meaning);
        if (reason !== 'other' && (reason as string) !== code)
          expect(text).toContain(REASON_MEANINGS[reason]);
      }
    }
  });

  it('says what the service says of a failure only where that is more', () => {
    const said = (message: string): string =>
      view('payouts.get', {
        ...FAILED_PAYOUT,
        failure: { code: 'code_rejected', reason: 'code_invalid', message },
      });
    expect(said('The code was wrong.').match(/code was/g)).toHaveLength(1);
    expect(said('Two attempts were made.')).toMatch(/^Message +Two attempts were made\.$/m);
  });

  it('never puts money through a number', () => {
    const body = bytes(
      '{"id":"a","status":"confirmed","amount":12345678901234567890.10,"currency":"VES","n":1.10}',
    );
    const text = renderView(endpoint('payouts.get'), body, readerOf(80));
    expect(text).toContain('12345678901234567890.10 VES');
    expect(text).toMatch(/^ {2}n +1\.10$/m);
  });

  it('shows fields that it does not know, and what the service writes into them', () => {
    const text = view('payins.get', { ...PAYIN, fee: { amount: '1.00' }, 'x\u001b': '\u202egpj' });
    expect(text).toMatch(/^ {2}fee\.amount +1\.00$/m);
    expect(text).toMatch(/^ {2}x\\u001b +\\u202egpj$/m);
  });
});

describe('any shape', () => {
  const names = fc.constantFrom(
    ...['id', 'status', 'failure', 'code', 'reason', 'events', 'data', 'methods', 'fields', 'countries'],
    ...['amount', '__proto__'],
  );
  const hostile = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(names, fc.oneof(fc.jsonValue(), fc.array(fc.dictionary(names, fc.jsonValue())))),
  );

  it.each(ENDPOINT_IDS)('%s shows it without a control character, and never throws', (id) => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 120 }), (value, width) => {
        expect(view(id, value, width)).not.toMatch(/[^\P{Cc}\n]/u);
      }),
      { numRuns: 40 },
    );
  });

  it('shows what is no JSON at all, and what nests without end', () => {
    expect(renderView(endpoint('balances'), bytes('<html>\u001b'), readerOf(80))).toBe('<html>\\u001b\n');
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const deep = bytes(`${open.repeat(20_000)}1${close.repeat(20_000)}`);
      for (const id of ['payins.get', 'events.list', 'capabilities'] as const) {
        expect(renderView(endpoint(id), deep, readerOf(80)).length).toBeGreaterThan(0);
      }
    }
  });

  it('shows a list in another wrapper, and one that is not there', () => {
    expect(view('banks', { items: [{ code: '0102', name: 'B', methods: [] }] })).toMatch(/^0102 +B$/m);
    expect(view('banks', [])).toBe('No banks.\n');
    expect(view('banks', { message: 'none today' })).toBe('message  none today\n');
  });
});

describe('banks', () => {
  const bank = (code: string, methods: string[]) => ({ code, name: `Bank ${code}`, methods });
  const MANY = ['debit_otp', 'direct_debit', 'mobile_payment', 'bank_transfer'];

  it('with the same many methods do not repeat them', () => {
    const banks = [bank('0102', MANY), bank('0105', MANY), bank('0146', ['bank_transfer'])];
    expect(view('banks', { banks }, 60)).toBe(
      'Code  Name       Methods\n0102  Bank 0102  all 4\n0105  Bank 0105  all 4\n0146  Bank 0146  bank_transfer\n\n' +
        'All 4: debit_otp, direct_debit, mobile_payment,\nbank_transfer\n',
    );
  });

  it('with few methods, or alone with all of them, name them', () => {
    const text = view('banks', { banks: [bank('0102', MANY), bank('0146', ['bank_transfer'])] }, 120);
    expect(text).toMatch(/^0102 .* debit_otp, direct_debit, mobile_payment, bank_transfer$/m);
  });
});

it('methods read as they do in capabilities, below their country', () => {
  const [country, ...rest] = view('methods', ANSWERS.methods).split('\n');
  expect(country).toBe('VE');
  expect(view('capabilities', ANSWERS.capabilities)).toContain(rest.join('\n'));
});

it('methods take a row and what stands beneath it where a screen is narrow', () => {
  const methods = ['incoming_mobile_payment', 'incoming_transfer'].map((code) => ({
    ...{ code, country: 'VE', currency: 'VES', direction: 'payin', name: 'Incoming' },
    ...{ max_amount: '2000000.00', min_amount: '1000000.00', availability: 'temporarily_unavailable' },
    fields: [{ name: 'document.number', required: true }],
  }));
  expect(view('methods', { methods }, 60).split('\n').slice(2, 5)).toEqual([
    'incoming_mobile_payment  1000000.00 VES  2000000.00 VES',
    '  Direction payin  Availability ○ temporarily unavailable',
    '  Required fields  document.number',
  ]);
});

describe('renderAnything', () => {
  it('shows times in the zone of the reader and ids in one piece, in a list of attempts too', () => {
    const delivery = {
      delivery_id: '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f',
      next_attempt_at: '2026-09-23T15:04:05Z',
      attempts: [
        { at: '2026-09-23T15:00:00Z', status: 503, error: null },
        { at: '2026-09-23T15:02:00Z', status: null, error: 'no answer' },
      ],
    };
    const text = renderAnything(json(delivery), readerOf(40, { zone: CARACAS }));
    expect(text).toMatch(/^delivery_id\n {2}6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f$/m);
    expect(text).toMatch(/^next_attempt_at\n? +2026-09-23 11:04:05-0400$/m);
    expect(text.replace(/\s+/g, ' ')).toContain(
      'attempts 2026-09-23 11:00:00-0400 503, 2026-09-23 11:02:00-0400 no answer',
    );
  });

  it('says what a total counts', () => {
    const plan = {
      totals: [
        { currency: 'VES', rows: 1, total: '20.00' },
        { currency: 'USD', rows: 2, total: '1.00' },
      ],
    };
    expect(renderAnything(json(plan), readerOf(80))).toBe('totals  VES 20.00 in 1 row, USD 1.00 in 2 rows\n');
  });

  it('shows leaves by their paths, elements one after the other', () => {
    expect(renderAnything(json([{ a: { b: '1.10' } }, { a: null, c: [1, 2] }, 'x']), readerOf(80))).toBe(
      'a.b  1.10\n\nc  1, 2\n\nx\n',
    );
  });
});
