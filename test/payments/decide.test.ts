import { expect, it } from 'vitest';
import type { KnownPayment } from '../../src/payments/known/payments.js';
import { type CreateRules, type CreateDecision, decideCreate } from '../../src/payments/decide.js';

const FIRST = '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f';
const SECOND = '7a2d3bae-4c5e-4d6f-9a81-2b3c4d5e6f70';
const single = (operation: string | null, row: number, atMs: number | null = row): KnownPayment => ({
  ...{ operation, status: operation === null ? 'unknown' : 'confirmed', direction: 'payout' },
  ...{ amount: '1.00', currency: 'VES', atMs, isOurs: true, row, accountTail: null, twinMark: null },
  source: { kind: 'request', key: `key-${row}` },
});
const ofBatch = (operation: string | null, atMs: number): KnownPayment => ({
  ...single(operation, 0, atMs),
  ...{ row: null, source: { kind: 'batch', batch: 'pay', line: 2 } },
});
const PENDING: KnownPayment = { ...single(FIRST, 1, 10), status: 'pending' };
const RULES: CreateRules = { newPayment: null, sinceMs: null, areReferencesLabels: false, isStrict: true };
const LABELS = { areReferencesLabels: true };
const verdict = (payments: readonly KnownPayment[], changes: Partial<CreateRules> = {}): string => {
  const said: CreateDecision = decideCreate(payments, { ...RULES, ...changes });
  const about = said.kind === 'send' ? said.obstacle : said.payment;
  return [said.kind, about?.operation ?? about?.source.kind ?? ''].join(' ').trim();
};

it.each<[string, readonly KnownPayment[], Partial<CreateRules>, string]>([
  ['nothing is known', [], {}, 'send'],
  ['it was paid', [single(FIRST, 1)], {}, `refuse ${FIRST}`],
  ['the newest is named', [single(FIRST, 1), single(SECOND, 2)], {}, `refuse ${SECOND}`],
  ['the newest is insisted over', [single(FIRST, 1)], { newPayment: FIRST }, 'send'],
  ['in capitals', [single(FIRST, 1)], { newPayment: FIRST.toUpperCase() }, 'send'],
  ['one before that', [single(FIRST, 1), single(SECOND, 2)], { newPayment: FIRST }, `refuse ${SECOND}`],
  ['its key is insisted over, it was paid', [single(FIRST, 1)], { newPayment: 'key-1' }, `refuse ${FIRST}`],
  ['it is open', [single(null, 1)], {}, 'refuse request'],
  ['it is open, and insisted over', [single(null, 1)], { newPayment: 'key-1' }, 'replace request'],
  ['a key is no id: its case counts', [single(null, 1)], { newPayment: 'KEY-1' }, 'refuse request'],
  ['a batch has it open', [ofBatch(null, 1)], { newPayment: 'pay' }, 'refuse batch'],
  ['a batch has paid it', [ofBatch(FIRST, 1)], { newPayment: FIRST }, 'send'],
  ['it was paid before that time', [single(FIRST, 1, 10)], { sinceMs: 11 }, 'send'],
  ['it was pending before that time', [PENDING], { sinceMs: 11 }, `refuse ${FIRST}`],
  ['it is pending, and insisted over', [PENDING], { newPayment: FIRST }, `refuse ${FIRST}`],
  ['it was paid since', [single(FIRST, 1, 11)], { sinceMs: 11 }, `refuse ${FIRST}`],
  ['nobody dates it', [single(FIRST, 1, null)], { sinceMs: 11 }, `refuse ${FIRST}`],
  ['it is open since long ago', [single(null, 1, 1)], { sinceMs: 11 }, 'refuse request'],
  ['the reference is a label', [single(FIRST, 1), ofBatch(SECOND, 2)], LABELS, 'send'],
  ['of a label one is open', [single(FIRST, 2), single(null, 1)], LABELS, 'refuse request'],
])('live, where %s', (_name, payments, rules, expected) => expect(verdict(payments, rules)).toBe(expected));

it.each<[string, readonly KnownPayment[], Partial<CreateRules>, string]>([
  ['what a single create has settled is passed, and named', [single(FIRST, 1)], {}, `send ${FIRST}`],
  ['nothing is named that was insisted over', [single(FIRST, 1)], { newPayment: FIRST }, 'send'],
  ['nothing is named of a label', [single(FIRST, 1)], LABELS, 'send'],
  ['what is open refuses', [single(FIRST, 1), single(null, 2)], {}, 'refuse request'],
  ['what a batch has refuses', [single(SECOND, 2), ofBatch(FIRST, 1)], {}, `refuse ${FIRST}`],
])('in a sandbox %s', (_name, payments, rules, expected) => {
  expect(verdict(payments, { isStrict: false, ...rules })).toBe(expected);
});
