import { expect, it } from 'vitest';
import type { PlanHead } from '../../../../src/batches/approval/plan/format.js';
import { hasExpired, planRefusal, type PlanPlace } from '../../../../src/batches/approval/refusals.js';

const HEAD: PlanHead = {
  ...{ svc_plan: 1, environment: 'live', address: 'https://api.example.com', company: null },
  ...{ direction: 'payout', batch: 'june', since: null, rows: 1, left_out: 0, maker: null },
  totals: [{ currency: 'VES', rows: 1, total: '1.00' }],
  made_at: '2026-11-24T09:00:00Z',
  valid_until: '2026-11-27T09:00:00Z',
};
const at = (text: string): number => Date.parse(text);
const HERE: PlanPlace = {
  ...{ environment: 'live', address: 'https://api.example.com' },
  serviceMs: at('2026-11-24T10:00:00Z'),
  validForMs: 72 * 3_600_000,
};
const codeAt = (here: Partial<PlanPlace>, head: Partial<PlanHead> = {}): string | undefined =>
  planRefusal({ ...HEAD, ...head }, { ...HERE, ...here })?.code;

it.each<[Partial<PlanPlace>, Partial<PlanHead>, string | undefined]>([
  [{}, {}, undefined],
  [{ environment: 'sandbox' }, {}, 'plan_other_environment'],
  [{ address: 'https://api.example.com/v3' }, {}, 'plan_other_address'],
  [{ serviceMs: null }, {}, 'time_unknown'],
  [{ serviceMs: NaN }, {}, 'time_unknown'],
  [{ serviceMs: at('2026-11-24T08:55:00Z') }, {}, undefined],
  [{ serviceMs: at('2026-11-24T08:55:00Z') - 1 }, {}, 'plan_from_future'],
  [{ serviceMs: at('2026-11-27T09:00:00Z') - 1 }, {}, undefined],
  [{ serviceMs: at('2026-11-27T09:00:00Z') }, {}, 'approval_expired'],
  [{ validForMs: 72 * 3_600_000 - 1 }, {}, 'plan_valid_too_long'],
  [{ validForMs: null }, { valid_until: '2036-11-27T09:00:00Z' }, undefined],
  [{}, { made_at: 'soon' }, 'plan_from_future'],
  [{}, { valid_until: 'late' }, 'approval_expired'],
  [{ environment: 'sandbox', address: 'x', serviceMs: null }, {}, 'plan_other_environment'],
  [{ address: 'x', serviceMs: null }, {}, 'plan_other_address'],
  [{ serviceMs: at('2026-12-24T09:00:00Z'), validForMs: 1 }, {}, 'approval_expired'],
])('%j of %j is %s', (here, head, code) => expect(codeAt(here, head)).toBe(code));

it('says from what to what', () => {
  expect(planRefusal(HEAD, { ...HERE, serviceMs: at('2026-11-28T09:00:00.500Z') })).toEqual({
    ...{ code: 'approval_expired', plan: '2026-11-27T09:00:00Z', here: '2026-11-28T09:00:00Z' },
  });
  expect(planRefusal(HEAD, { ...HERE, validForMs: 90 * 60_000 })).toEqual({
    ...{ code: 'plan_valid_too_long', plan: '72 h', here: '1.5 h' },
  });
});

it('ends at its very moment', () => {
  expect(hasExpired(HEAD, at(HEAD.valid_until) - 1)).toBe(false);
  expect(hasExpired(HEAD, at(HEAD.valid_until))).toBe(true);
  expect(hasExpired(HEAD, NaN)).toBe(true);
});
