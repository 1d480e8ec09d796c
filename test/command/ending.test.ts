import { expect, it } from 'vitest';
import { printAnswer } from '../../src/command/ending.js';
import { diskFailure } from '../../src/runtime/folders.js';

const full = diskFailure('written', 'Standard output', Object.assign(new Error(), { code: 'ENOSPC' }));
const printer = { answer: () => Promise.reject(full instanceof Error ? full : new Error('no failure')) };

it.each([
  [null, 'Free some space, then run this again.'],
  ['0123456789abcdef', 'Free some space.'],
])('with key %j: %s', async (idempotencyKey, advice) => {
  const error = await printAnswer(null, { idempotencyKey }, printer);
  expect(error?.message).toContain('could not print the answer');
  expect(error?.message.endsWith(` ${advice}`), error?.message).toBe(true);
});
