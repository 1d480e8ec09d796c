import { expect, it } from 'vitest';
import {
  NEVER_SENT,
  OPEN_STATES,
  PAID_STATES,
  RETRIABLE,
  ROW_STATES,
  SENDABLE,
  STATE_WORDS,
  statesOf,
} from '../../../src/storage/batches/row-state.js';

it('a row is sent again with its key, started anew, paid, or for a person', () => {
  expect([...SENDABLE, ...RETRIABLE, ...PAID_STATES, 'needs_review'].sort()).toEqual([...ROW_STATES].sort());
});

it('a row never left, may have left, was paid, or was refused', () => {
  expect([...NEVER_SENT, ...OPEN_STATES, ...PAID_STATES, ...RETRIABLE].sort()).toEqual(
    [...ROW_STATES].sort(),
  );
});

it.each([
  ['pending', ['accepted']],
  ['not_sent', ['planned', 'unavailable']],
  ['unknown', ['unknown']],
] as const)('%s, as people read it, is stored as %j', (word, states) => {
  expect(statesOf(word)).toEqual(states);
});

it('each state is behind a word', () => {
  expect(new Set(STATE_WORDS.flatMap(statesOf))).toEqual(new Set(ROW_STATES));
});
