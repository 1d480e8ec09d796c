import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ageOf, maySendAgain, type Moment, serviceTimeOf } from '../../src/contract/moment.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const THEN: Moment = {
  ...{ serviceMs: 1_790_000_000_000, wallMs: 1_790_000_300_000, bootId: 'boot-1', bootMs: 7 * HOUR_MS },
  sharedMs: 1_790_000_001_000,
};

function later(service: number, wall = service, boot = service, shared = service): Moment {
  return {
    ...{ serviceMs: (THEN.serviceMs ?? 0) + service, wallMs: THEN.wallMs + wall, bootId: 'boot-1' },
    ...{ bootMs: THEN.bootMs + boot, sharedMs: (THEN.sharedMs ?? 0) + shared },
  };
}

describe('ageOf', () => {
  it.each([
    ['all agree', later(HOUR_MS), HOUR_MS],
    ['at once', later(0), 0],
    ['a cache froze the service: the others say more', later(0, 30 * HOUR_MS), 30 * HOUR_MS],
    ['the wall clock was set forward', later(HOUR_MS, 30 * HOUR_MS), 30 * HOUR_MS],
    ['the machine was frozen: the service says more', later(30 * HOUR_MS, 0, 0, 0), 30 * HOUR_MS],
    ['the wall clock was frozen too, the database says more', later(0, 0, 0, 30 * HOUR_MS), 30 * HOUR_MS],
    ['it slept: the clock since its boot says more', later(0, 0, 30 * HOUR_MS), 30 * HOUR_MS],
    [
      'another boot counts nothing since then',
      { ...later(HOUR_MS, HOUR_MS, 90 * HOUR_MS), bootId: 'boot-2' },
      HOUR_MS,
    ],
    ['one began its boot anew', { ...later(HOUR_MS, HOUR_MS, -6 * HOUR_MS), bootId: 'boot-2' }, HOUR_MS],
    [
      'another machine has another clock, and the database is that of both',
      { ...later(HOUR_MS, -5 * HOUR_MS), bootId: 'boot-of-another' },
      HOUR_MS,
    ],
    ['without a database', { ...later(HOUR_MS), sharedMs: undefined }, HOUR_MS],
    ['ten minutes back are within what clocks differ', later(HOUR_MS, -10 * MINUTE_MS), HOUR_MS],
  ])('%s', (_name, now, ms) => expect(ageOf(THEN, now)).toEqual({ kind: 'known', ms }));

  it.each([
    ['then', { ...THEN, serviceMs: null }, later(HOUR_MS)],
    ['now', THEN, { ...later(HOUR_MS), serviceMs: null }],
    ['at both ends', { ...THEN, serviceMs: null }, { ...later(HOUR_MS), serviceMs: null }],
    ['a time that is no number', { ...THEN, wallMs: Number.NaN }, later(HOUR_MS)],
  ])('is unknown without the service: %s', (_name, then, now) => {
    expect(ageOf(then, now)).toEqual({ kind: 'time_unknown' });
  });

  it.each([
    ['machine', later(HOUR_MS, -10 * MINUTE_MS - 1)],
    ['service', later(-10 * MINUTE_MS - 1, HOUR_MS, HOUR_MS, HOUR_MS)],
    ['database', later(HOUR_MS, HOUR_MS, HOUR_MS, -11 * MINUTE_MS)],
    ['boot', later(HOUR_MS, HOUR_MS, -11 * MINUTE_MS)],
  ])('the %s went back: nobody knows', (clock, now) => {
    const age = ageOf(THEN, now);
    expect(age).toMatchObject({ kind: 'clocks_disagree', back: { clock } });
    expect(age.kind === 'clocks_disagree' && age.ahead.nowMs - age.ahead.thenMs).toBe(HOUR_MS);
    expect(age).toMatchObject({ ahead: { clock: clock === 'service' ? 'machine' : 'service' } });
  });

  it('does not count from a boot that nobody knows', () => {
    expect(ageOf({ ...THEN, bootId: '' }, { ...later(HOUR_MS, HOUR_MS, 90 * HOUR_MS), bootId: '' })).toEqual({
      kind: 'known',
      ms: HOUR_MS,
    });
  });

  it('never says less than any clock that counts', () => {
    const ms = fc.integer({ min: -40 * HOUR_MS, max: 40 * HOUR_MS });
    fc.assert(
      fc.property(ms, ms, ms, ms, fc.boolean(), (service, wall, boot, shared, isSameBoot) => {
        const now = { ...later(service, wall, boot, shared), ...(isSameBoot ? {} : { bootId: 'boot-2' }) };
        const counted = [service, shared, ...(isSameBoot ? [boot, wall] : [])];
        const age = ageOf(THEN, now);
        expect(age.kind).toBe(Math.min(...counted) < -10 * MINUTE_MS ? 'clocks_disagree' : 'known');
        if (age.kind === 'known') expect(age.ms).toBe(Math.max(...counted));
      }),
    );
  });

  it('lets nothing leave again after 23 hours of the service, whatever this machine believes', () => {
    const ms = fc.integer({ min: -40 * HOUR_MS, max: 40 * HOUR_MS });
    fc.assert(
      fc.property(
        fc.integer({ min: 23 * HOUR_MS + 1, max: 400 * 24 * HOUR_MS }),
        ...[ms, ms, ms],
        (service, wall, boot, shared) => {
          expect(maySendAgain(ageOf(THEN, later(service, wall, boot, shared)))).toBe(false);
        },
      ),
    );
  });
});

describe('maySendAgain', () => {
  it.each([
    ['at once', { kind: 'known', ms: 0 }, true],
    ['after 23 hours to the millisecond', { kind: 'known', ms: 23 * HOUR_MS }, true],
    ['a millisecond later', { kind: 'known', ms: 23 * HOUR_MS + 1 }, false],
    ['an age that nobody knows', { kind: 'time_unknown' }, false],
  ] as const)('%s', (_name, age, expected) => expect(maySendAgain(age)).toBe(expected));
});

describe('serviceTimeOf', () => {
  const anchor = { serviceMs: 1000, bootId: 'boot-1', bootMs: 500 };
  it.each([
    ['what has passed since', anchor, { wallMs: 0, bootId: 'boot-1', bootMs: 700 }, 1200],
    ['another boot', anchor, { wallMs: 0, bootId: 'boot-2', bootMs: 700 }, null],
    ['a boot that nobody knows', { ...anchor, bootId: '' }, { wallMs: 0, bootId: '', bootMs: 700 }, null],
    ['an anchor of later than now', anchor, { wallMs: 0, bootId: 'boot-1', bootMs: 400 }, null],
    ['none', null, { wallMs: 0, bootId: 'boot-1', bootMs: 700 }, null],
  ])('%s', (_name, kept, now, expected) => expect(serviceTimeOf(kept, now)).toBe(expected));
});
