import { expect, it } from 'vitest';
import { CLIENT_FAULTS } from '../../src/certify/client/faults.js';
import { CLIENT_RULES } from '../../src/certify/client/judge.js';

it.each([
  ['faults', CLIENT_FAULTS],
  ['rules', CLIENT_RULES],
])('no two %s have one name', (_, rows) => {
  const ids = rows.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

it('a fault on a payment changes something, and one on the whole run hits no single request', () => {
  const isNothing = CLIENT_FAULTS.filter(
    ({ on, outcome, instead, holdMs }) =>
      !on.some((place) => place === 'run') && outcome === null && instead.kind === 'own' && holdMs === 0,
  );
  expect(isNothing).toEqual([]);
  const whole = CLIENT_FAULTS.filter(({ on }) => on.some((place) => place === 'run'));
  expect(whole.every(({ on, instead }) => on.length === 1 && instead.kind === 'own')).toBe(true);
});

it('what was not carried out is never half of its own answer', () => {
  const kinds = CLIENT_FAULTS.filter(({ isCarriedOut }) => !isCarriedOut).map(({ instead }) => instead.kind);
  expect(new Set(kinds)).toEqual(new Set(['cut', 'error']));
});
