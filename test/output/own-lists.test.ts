import { describe, expect, it } from 'vitest';
import { renderBatch, renderBatchList } from '../../src/batches/view.js';
import { renderPlainList, renderOwnObject } from '../../src/output/views/own-list.js';
import { renderPaymentList } from '../../src/payments/view.js';
import { json, readerOf } from './samples.js';

const WIDTHS = [40, 60, 80, 120];
const NONE = { confirmed: 0, earlier: 0, pending: 0, failed: 0, rejected: 0, unknown: 0, not_sent: 0 };
const batch = (name: string, counts: object) => ({
  ...{ batch: name, rows: 9, ...NONE, ...counts },
  ...{
    type: 'payout',
    environment: 'live',
    created_at: '2026-09-23T15:00:00Z',
    address: 'https://a.example',
  },
});

describe('what svc says of itself', () => {
  const profile = { name: 'shop', active: true, base_url: 'https://a.example', insecure_loopback: false };

  it('has words for names, and yes and no', () => {
    expect(renderPlainList(json({ profiles: [profile] }), 'profiles', readerOf(80))).toBe(
      'Name  Active  Base URL           Insecure loopback\nshop  yes     https://a.example  no\n',
    );
    expect(renderOwnObject(json(profile), readerOf(80))).toMatch(/^Active +yes\nBase URL +https:/m);
  });

  it('leaves the names in a body and in headers as they were sent', () => {
    const request = { idempotency_key: 'k', body: { bank_code: '0102' }, headers: { 'X-Firma': 'v1=' } };
    expect(renderOwnObject(json(request), readerOf(80))).toMatch(
      /^Idempotency key +k\nbody\.bank_code +0102\nheaders\.X-Firma +v1=$/m,
    );
  });
});

describe('a list of batches', () => {
  const batches = [
    batch('payroll-2026-08', { confirmed: 9 }),
    batch('payroll-2026-09', { confirmed: 3, pending: 1, unknown: 2, not_sent: 3 }),
  ];

  it('says what became of the rows in a line, and nothing of what became of none', () => {
    expect(renderBatchList(json({ batches }), 'batches', readerOf(72))).toBe(
      'Env   Batch            Rows  Confirmed  Pending  Unknown  Not sent\n' +
        'live  payroll-2026-08     9        ✓ 9\n' +
        'live  payroll-2026-09     9        ✓ 3      ○ 1      ✗ 2       ○ 3\n' +
        'Hidden columns: Created, Type, Address (widen the terminal or use\n--json)\n',
    );
  });

  it.each(WIDTHS)(
    'shows in %i columns first that it is real money, what is not known, and what was not sent',
    (width) => {
      const text = renderBatchList(json({ batches }), 'batches', readerOf(width));
      expect(text.match(/^(Env +)?live\b/gm)).toHaveLength(2);
      expect(text).toMatch(/✗ 2\b/);
      expect(text).toMatch(/○ 3\b/);
      expect(text).not.toMatch(/\b0\b/);
    },
  );
});

describe('a list of requests of unknown outcome', () => {
  const requests = [true, false].map((repeatable, at) => ({
    idempotency_key: `${String(at)}3b54899256a7128309666273654d3b9`,
    ...{
      endpoint: 'payouts.create',
      environment: repeatable ? 'live' : 'sandbox',
      address: 'https://a.example',
      api_key: 'svc_live_...1',
    },
    ...{ created_at: '2026-09-23T15:00:00Z', repeatable, method: 'mobile_payment', amount: '40.00' },
    ...{ currency: 'VES', reference: `rent-${String(at)}` },
  }));

  it.each(WIDTHS)(
    'shows in %i columns first whether it is real money, the amount, the whole key and whether it can be repeated',
    (width) => {
      const text = renderPaymentList(json({ requests }), 'requests', readerOf(width));
      for (const { idempotency_key: key } of requests) expect(text).toContain(key);
      expect(text).toContain('40.00 VES');
      expect(text).toMatch(/^(Env +)?live\b[^]*^(Env +)?sandbox\b/m);
      expect(text).toContain('○ yes');
      expect(text.replace(/\s+/g, ' ')).toContain('✗ no: a person decides');
    },
  );
});

it('marks what happened to an operation', () => {
  const moment = (what: string, outcome: string, detail = '') => ({
    ...{ at: '2026-09-23T15:00:00Z', what, outcome, detail },
  });
  const timeline = [
    moment('state', 'pending', 'processing'),
    moment('state', 'created'),
    moment('event', 'payout.failed', 'f00'),
    moment('event', 'payin.confirmed', 'f01'),
    moment('delivery', '503', 'https://a.example'),
    moment('delivery', 'timeout', 'https://a.example'),
    moment('delivery', '204', 'https://a.example'),
  ];
  const signs = renderPaymentList(json({ timeline }), 'timeline', readerOf(120)).match(/[✓✗○]/g);
  expect(signs?.join('')).toBe('○✓✗✓✗✗✓');
});

it('says of what happened to an operation first which one it is', () => {
  const operation = { id: 'be8ecbed-4b7b-49dc-b9d2-455ef649908f', reference: 'rent-1', status: 'confirmed' };
  const timeline = [{ at: '2026-09-23T15:00:00Z', what: 'state', outcome: 'created', detail: '' }];
  const text = renderPaymentList(json({ operation, timeline }), 'timeline', readerOf(80));
  expect(text).toMatch(/^Id +be8ecbed-\S+\nReference +rent-1\nStatus +✓ confirmed\n\nAt /);
});

describe('the summary of a batch', () => {
  const summary = (counts: object, rest: object) => ({
    ...{ batch: 'pay', rows: 4, ...NONE, ...counts, resume_command: null },
    totals: {
      VES: { total: '4.00', ...Object.fromEntries(Object.keys(NONE).map((name) => [name, '4.00'])) },
    },
    ...rest,
  });

  it.each(WIDTHS)('shows in %i columns why rows are pending', (width) => {
    const reasons = { pending_reasons: { processing: 1, awaiting_payment: 3 }, states: { accepted: 4 } };
    const text = renderBatch(json(summary({ pending: 4 }, reasons)), readerOf(width));
    expect(text).toMatch(/○ pending +4 +4\.00\n +processing +1\n +awaiting_payment +3\n/);
  });

  it('tells rows that a person decides about from those that are repeated', () => {
    const states = { unknown: 1, needs_review: 2, intent: 1 };
    const text = renderBatch(json(summary({ unknown: 4 }, { states })), readerOf(80));
    expect(text).toMatch(/✗ unknown +4 +4\.00\n +unknown +1\n +needs_review +2\n +intent +1\n/);
    const unavailable = { not_sent: 4 };
    expect(renderBatch(json(summary(unavailable, { states: { unavailable: 4 } })), readerOf(80))).toMatch(
      /not sent +4 +4\.00\n +unavailable +4\n/,
    );
    expect(renderBatch(json(summary(unavailable, { states: { planned: 4 } })), readerOf(80))).not.toContain(
      'planned',
    );
  });

  it('keeps the hash of the file in one piece', () => {
    const hash = 'ab'.repeat(32);
    expect(renderBatch(json(summary({}, { file_sha256: hash })), readerOf(40))).toContain(hash);
  });
});

describe('a list of operations', () => {
  const operation = (number: number, more: object = {}) => ({
    id: `6f1c2a9e-3b4d-4c5e-8f70-00000000000${String(number)}`,
    ...{ type: 'payout', status: 'confirmed', code: null, failure_reason: null },
    ...{ amount: '1234567.89', currency: 'VES' },
    ...{ method: 'mobile_payment', reference: `rent-${String(number)}`, bank_reference: '00000001' },
    ...{ created_at: '2026-09-23T15:00:00Z', confirmed_at: '2026-09-23T15:00:05Z' },
    occurred_at: '2026-09-23T15:00:06Z',
    ...{ source: 'feed', batch: null, line: null, idempotency_key: null, environment: 'live', ...more },
  });
  const made = { source: 'batch', batch: 'march', line: 12, idempotency_key: 'a-key' };
  const open = {
    ...{ status: 'pending', code: 'awaiting_code', occurred_at: null },
    ...{ confirmed_at: null, bank_reference: null },
  };
  const operations = [
    operation(1, { ...open, source: 'create', idempotency_key: 'own-key' }),
    operation(2, { status: 'failed', code: 'counterparty_rejected', failure_reason: 'invalid_account' }),
    operation(3, made),
    operation(4, { ...made, source: 'feed' }),
    operation(5, { source: 'service' }),
  ];

  it.each(WIDTHS)(
    'shows in %i columns first that it is real money, and all that is known of each',
    (width) => {
      const text = renderPaymentList(json({ operations }), 'operations', readerOf(width));
      for (const { id, reference } of operations) {
        expect(text).toContain(id);
        expect(text).toContain(reference);
      }
      expect(text.match(/^(Env +)?live\b/gm)).toHaveLength(5);
      expect(text.match(/1234567\.89 VES/g)).toHaveLength(5);
      for (const status of ['○ pending', '✗ failed', '✓ confirmed']) expect(text).toContain(status);
      const flat = text.replace(/\s+/g, ' ');
      expect(flat).toContain('2026-09-23 15:00:06Z');
      expect(flat).toContain('batch march line 12');
      expect(flat).toContain('the service');
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(Math.max(width, 41));
    },
  );

  it('of what is hostile is shown and does nothing', () => {
    const hostile = operation(1, {
      ...{ status: '__proto__', reference: '\u001b[2J\n\u202e', batch: '\u009b', line: 1 },
    });
    const text = renderPaymentList(json({ operations: [hostile] }), 'operations', readerOf(80));
    for (const raw of ['\u001b', '\u202e', '\u009b']) expect(text).not.toContain(raw);
    expect(text).toContain('__proto__');
  });

  it('of none says so', () => {
    expect(renderPaymentList(json({ operations: [] }), 'operations', readerOf(80))).toBe('No operations.\n');
  });
});
