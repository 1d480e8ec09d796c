import { expect, it } from 'vitest';
import { tightestLock } from '../../../src/session/guard/lock.js';

it.each([
  [[], null],
  [[undefined, undefined], null],
  [['read-only'], 'read-only'],
  [[undefined, 'read-only'], 'read-only'],
  [['sandbox'], 'sandbox'],
  [['read-only', 'sandbox', 'read-only'], 'sandbox'],
  [['read-only', ''], 'sandbox'],
  [[''], 'sandbox'],
  [['none'], 'sandbox'],
  [['Read-Only'], 'sandbox'],
  [['read-only '], 'sandbox'],
] as const)('%j is %s', (values, lock) => expect(tightestLock(values)).toBe(lock));
