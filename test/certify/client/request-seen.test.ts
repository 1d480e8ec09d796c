import { expect, it } from 'vitest';
import { isOutcomeUnknown, type SeenAnswer } from '../../../src/certify/client/request-seen.js';

const answered = (status: number): SeenAnswer => ({
  ...{ kind: 'readable', status, code: null, operation: null, retryAfterSeconds: null, events: [] },
});

it.each<[what: string, answer: SeenAnswer, isOpen: boolean]>([
  ['no answer', { kind: 'none' }, true],
  ['a 201 that can not be read', { kind: 'unreadable', status: 201 }, true],
  ['a 500', answered(500), true],
  ['a 503', answered(503), true],
  ['a 201', answered(201), false],
  ['a 409', answered(409), false],
  ['a 429', answered(429), false],
])('%s', (_, answer, isOpen) => expect(isOutcomeUnknown(answer)).toBe(isOpen));
