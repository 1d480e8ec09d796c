/** What each movement does to a balance. */
import { expect, it } from 'vitest';
import { applyEntry, NO_FUNDS } from '../../../src/sandbox/machine/operation.js';

const funds = { available: 100n, reserved: 30n };

it.each([
  ['reserve', { available: 90n, reserved: 40n }],
  ['release', { available: 110n, reserved: 20n }],
  ['capture', { available: 100n, reserved: 20n }],
  ['credit', { available: 110n, reserved: 30n }],
  ['fee', { available: 90n, reserved: 30n }],
] as const)('%s', (kind, expected) => {
  expect(applyEntry(funds, { kind, minor: 10n })).toEqual(expected);
  expect(funds).toEqual({ available: 100n, reserved: 30n });
});

it('is no brake: available may end negative', () => {
  expect(applyEntry(NO_FUNDS, { kind: 'reserve', minor: 5n })).toEqual({ available: -5n, reserved: 5n });
});
