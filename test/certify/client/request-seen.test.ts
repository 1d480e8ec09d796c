import { expect, it } from 'vitest';
import { isLeftOpen, type Told } from '../../../src/certify/client/request-seen.js';

const answered = (status: number): Told => ({
  ...{ kind: 'answer', status, code: null, operation: null, retryAfterSeconds: null, events: [] },
});

it.each<[what: string, told: Told, isOpen: boolean]>([
  ['no answer', { kind: 'none' }, true],
  ['a 201 that can not be read', { kind: 'unreadable', status: 201 }, true],
  ['a 500', answered(500), true],
  ['a 503', answered(503), true],
  ['a 201', answered(201), false],
  ['a 409', answered(409), false],
  ['a 429', answered(429), false],
])('%s', (_, told, isOpen) => expect(isLeftOpen(told)).toBe(isOpen));
