/** What time and lookups bring about. */
import { describe, expect, it } from 'vitest';
import { createPayin, createPayout } from '../../../src/sandbox/machine/create.js';
import { lookup, timePasses } from '../../../src/sandbox/machine/passage.js';
import {
  at,
  awaitingCode,
  awaitingPayment,
  done,
  EVERY_STATE,
  HOUR,
  MINUTE,
  moved,
  ORIGIN,
  payin,
  payout,
  processingPayin,
  processingPayout,
  SECOND,
} from './given.js';

describe('time', () => {
  it('ends the window of an incoming pay-in, at its end and not before', () => {
    const before = awaitingPayment();
    expect(timePasses(before, at(48 * HOUR - 1))).toBeNull();
    const step = done(timePasses(before, at(48 * HOUR)));
    expect(step.held.operation).toStrictEqual({
      ...before.operation,
      status: 'failed',
      pending_reason: null,
      failure: { code: 'expired', reason: 'expired', message: 'The payment window ended.' },
      updated_at: '2026-09-25T15:04:05Z',
    });
    expect(step).toMatchObject({ entries: [], event: 'payin.failed' });
  });

  it('leaves a pay-in whose code expired as it is', () => {
    expect(timePasses(awaitingCode(), at(1000 * HOUR))).toBeNull();
  });

  it('brings the answer of a payout after a minute', () => {
    expect(timePasses(processingPayout(), at(MINUTE - 1))).toBeNull();
    const step = done(timePasses(processingPayout(), at(MINUTE)));
    expect(step.held.operation).toMatchObject({
      status: 'confirmed',
      bank_reference: '00000001',
      confirmed_at: '2026-09-23T15:05:05Z',
      updated_at: '2026-09-23T15:05:05Z',
    });
    expect(moved(step)).toEqual(['capture 10050']);
    expect(step.event).toBe('payout.confirmed');
  });

  it('brings the outcomes that were held back: of a debit and of a payout, good and bad', () => {
    const slow = at(0, { settleAfterMs: 10 * SECOND });
    const cases = [
      [processingPayin(), 'payin.confirmed', ['credit 10050']],
      [processingPayin('00000022'), 'payin.failed', []],
      [createPayout(payout(), ORIGIN, slow).held, 'payout.confirmed', ['capture 10050']],
      [createPayout(payout('00000001'), ORIGIN, slow).held, 'payout.failed', ['release 10050']],
    ] as const;
    for (const [held, event, movements] of cases) {
      expect(timePasses(held, at(10 * SECOND - 1))).toBeNull();
      const step = done(timePasses(held, at(10 * SECOND)));
      expect(step.event).toBe(event);
      expect(moved(step)).toEqual(movements);
    }
  });

  it('brings the outcome that was armed, and not one armed since', () => {
    const verdict = { status: 'failed', code: 'outside_hours', reason: 'outside_hours' } as const;
    const { held } = createPayout(payout(), ORIGIN, at(0, { settleAfterMs: SECOND, verdict }));
    const step = done(timePasses(held, at(SECOND, { verdict: { status: 'confirmed' } })));
    expect(step.held.operation.failure?.code).toBe('outside_hours');
  });

  it.each(EVERY_STATE.filter(([name]) => /confirmed|failed/.test(name)))(
    'does nothing to a %s',
    (_, held) => {
      expect(timePasses(held, at(1000 * HOUR))).toBeNull();
    },
  );
});

describe('a lookup', () => {
  it.each([
    ['payout', () => createPayout(payout('00000002'), ORIGIN, at()).held, ['capture 10050']],
    [
      'direct_debit',
      () => createPayin(payin('direct_debit', '00000002'), ORIGIN, at()).held,
      ['credit 10050'],
    ],
  ])('settles a %s of 00000002', (_, make, movements) => {
    const step = done(lookup(make(), at(SECOND)));
    expect(step.held.operation).toMatchObject({ status: 'confirmed', updated_at: '2026-09-23T15:04:06Z' });
    expect(moved(step)).toEqual(movements);
    expect(lookup(step.held, at(SECOND))).toBeNull();
  });

  it.each(EVERY_STATE.filter(([name]) => name !== 'processing payout'))(
    'changes nothing of a %s',
    (_, held) => {
      expect(lookup(held, at(SECOND))).toBeNull();
    },
  );
});
