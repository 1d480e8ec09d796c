import { expect, it } from 'vitest';
import type { Page } from '../../src/feed/walk.js';
import { selectionOf, type EventSelection } from '../../src/feed/follow.js';

const ID = '0b9ad0f2-1c1f-4a3e-9a39-0f6f0a3a6d11';
const EVENT = JSON.stringify({ id: 'e', type: 'payout.failed', data: { id: ID, reference: 'r-1' } });

function isChosen(wanted: Partial<EventSelection>, text = EVENT): boolean | undefined {
  const body = Buffer.from(text);
  const event = { id: 'e', start: 0, end: body.length };
  const page: Page = { body, events: [event], next: null };
  return selectionOf({ types: [], ...wanted })?.(page, event);
}

it.each<[string, Partial<EventSelection>, boolean]>([
  ['one of its types', { types: ['payout.confirmed', 'payout.failed'] }, true],
  ['another type', { types: ['payout.confirmed'] }, false],
  ['its reference', { reference: 'r-1' }, true],
  ['another spelling of the reference', { reference: 'R-1' }, false],
  ['its operation, in capitals', { operationId: ID.toUpperCase() }, true],
  ['its type and another operation', { types: ['payout.failed'], operationId: 'x' }, false],
])('who wants %s', (_what, wanted, chosen) => expect(isChosen(wanted)).toBe(chosen));

it('judges nothing where all are wanted', () => expect(selectionOf({ types: [] })).toBeNull());

it('never leaves out an event that it cannot read', () => {
  expect(isChosen({ types: ['payout.confirmed'] }, '{"id":"e",')).toBe(true);
});
