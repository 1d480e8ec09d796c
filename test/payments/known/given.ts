import { NO_FACTS } from '../../../src/contract/operation-facts.js';
import type { KnownRow, SingleCreate } from '../../../src/payments/known/payments.js';

export const AT = '2026-10-28T09:00:00Z';

export const row = (changes: Partial<KnownRow> = {}): KnownRow => ({
  ...{ batch: 'b', company: 'us', line: 2, referenceMark: '', twinMark: 'aa', currency: 'VES' },
  ...{ amount: '10.00', state: 'confirmed', follows: null, generation: 1, sentAtMs: Date.parse(AT) },
  ...{ mayBeSent: false, isSameCompany: true, operation: 'op', status: 'confirmed' },
  ...{ operationAtMs: Date.parse(AT), sinceMs: null },
  ...changes,
});

export const single = (changes: Partial<SingleCreate> = {}): SingleCreate => ({
  ...{ state: 'settled', mayNotRepeat: false, follows: null, generation: null, sinceMs: null },
  ...{ key: 'k', operation: 'op', status: 'confirmed', referenceMark: '', amount: '10.00' },
  ...{ currency: 'VES', atMs: Date.parse(AT), company: 'same', row: 7, accountTail: '4567' },
  ...changes,
});

export const operation = (status: string, id = 'op', createdAt = AT) => ({
  ...{ ...NO_FACTS, id, status, direction: 'payout' as const },
  ...{ amount: '10.00', currency: 'VES', createdAtMs: Date.parse(createdAt) },
});
