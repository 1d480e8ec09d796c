/** The lists that svc itself keeps, as a person reads them: what became of money is there in every width, with a sign before it. */
import { describe, expect, it } from 'vitest';
import { renderOwnList } from '../../src/output/views/own.js';
import { renderBatch } from '../../src/output/views.js';
import { readerOf } from './samples.js';

const body = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
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

describe('a list of batches', () => {
  const batches = [
    batch('payroll-2026-08', { confirmed: 9 }),
    batch('payroll-2026-09', { confirmed: 3, pending: 1, unknown: 2, not_sent: 3 }),
  ];

  it('says what became of the rows in a line, and nothing of what became of none', () => {
    expect(renderOwnList(body({ batches }), 'batches', readerOf(60))).toBe(
      'Batch            Rows  Confirmed  Pending  Unknown  Not sent\n' +
        'payroll-2026-08     9        ✓ 9\n' +
        'payroll-2026-09     9        ✓ 3      ○ 1      ✗ 2       ○ 3\n' +
        'Not shown in this width: Environment, Created, Type,\nAddress. A wider terminal and --json have it.\n',
    );
  });

  it.each(WIDTHS)('shows in %i columns what is not known, and what was not sent', (width) => {
    const text = renderOwnList(body({ batches }), 'batches', readerOf(width));
    expect(text).toMatch(/✗ 2\b/);
    expect(text).toMatch(/○ 3\b/);
    expect(text).not.toMatch(/\b0\b/);
  });
});

describe('a list of requests of unknown outcome', () => {
  const requests = [true, false].map((repeatable, at) => ({
    idempotency_key: `${String(at)}3b54899256a7128309666273654d3b9`,
    ...{
      endpoint: 'payouts.create',
      environment: 'live',
      address: 'https://a.example',
      api_key: 'svc_live_...1',
    },
    ...{ created_at: '2026-09-23T15:00:00Z', repeatable, method: 'mobile_payment', amount: '40.00' },
    ...{ currency: 'VES', reference: `rent-${String(at)}` },
  }));

  it.each(WIDTHS)('shows in %i columns the amount, the whole key and whether it can be repeated', (width) => {
    const text = renderOwnList(body({ requests }), 'requests', readerOf(width));
    for (const { idempotency_key: key } of requests) expect(text).toContain(key);
    expect(text).toContain('40.00 VES');
    expect(text).toContain('○ yes');
    expect(text).toContain('✗ no: a person decides');
  });
});

it('marks what happened to an operation', () => {
  const moment = (what: string, outcome: string, detail = '') => ({
    at: '2026-09-23T15:00:00Z',
    what,
    outcome,
    detail,
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
  const signs = renderOwnList(body({ timeline }), 'timeline', readerOf(120)).match(/[✓✗○]/g);
  expect(signs?.join('')).toBe('○✓✗✓✗✗✓');
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
    const text = renderBatch(body(summary({ pending: 4 }, reasons)), readerOf(width));
    expect(text).toMatch(/○ pending +4 +4\.00\n +processing +1\n +awaiting_payment +3\n/);
  });

  it('tells rows that a person decides about from those that are repeated', () => {
    const states = { unknown: 1, needs_review: 2, intent: 1 };
    const text = renderBatch(body(summary({ unknown: 4 }, { states })), readerOf(80));
    expect(text).toMatch(/✗ unknown +4 +4\.00\n +unknown +1\n +needs_review +2\n +intent +1\n/);
    const unavailable = { not_sent: 4 };
    expect(renderBatch(body(summary(unavailable, { states: { unavailable: 4 } })), readerOf(80))).toMatch(
      /not sent +4 +4\.00\n +unavailable +4\n/,
    );
    expect(renderBatch(body(summary(unavailable, { states: { planned: 4 } })), readerOf(80))).not.toContain(
      'planned',
    );
  });

  it('keeps the hash of the file in one piece', () => {
    const hash = 'ab'.repeat(32);
    expect(renderBatch(body(summary({}, { file_sha256: hash })), readerOf(40))).toContain(hash);
  });
});
