/** Who holds an operation is asked of the journal for every answer: the time that a doubted answer says of itself excuses nothing. */
import { describe, expect, it } from 'vitest';
import { holdersFor, placeOf } from '../../../src/cli/create/holders.js';
import type { OperationFacts } from '../../../src/contract/operation-facts.js';
import type { Journal } from '../../../src/journal/journal.js';
import type { SessionRun } from '../../../src/cli/session/session.js';
import type { Where } from '../../../src/cli/line/where.js';

const ASKED = new Error('the journal is asked');
const JOURNAL = { withOperation: () => Promise.reject(ASKED) } as unknown as Journal;
const SENT_AT_MS = Date.parse('2026-09-23T15:04:05Z');
const ROW = { place: placeOf('payroll', 2), referenceMark: null, sentAtMs: SENT_AT_MS, isAgain: false };

describe('the journal is asked', () => {
  it.each([
    ['a row whose operation was made after it left, by the answer', {}, 0],
    ['a row whose operation may have been there', {}, -3000],
    ['a row whose operation says no time', {}, null],
    ['a row that left before', { isAgain: true }, 0],
    ['a single create', { place: 7 }, 0],
  ])('for %s', async (_what, about, afterMs) => {
    const createdAtMs = afterMs === null ? null : SENT_AT_MS + afterMs;
    const ask = holdersFor({ ...ROW, ...about }, JOURNAL, {} as SessionRun<Where>);
    await expect(Promise.resolve(ask({ id: 'made', createdAtMs } as OperationFacts))).rejects.toBe(ASKED);
  });
});
