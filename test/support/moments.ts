import type { RowAges } from '../../src/batches/run/engine.js';
import { ageOf, type Moment, maxElapsedMs } from '../../src/contract/moment.js';
import { KEY_SAFE_MS } from '../../src/contract/limits.js';

export function momentAt(ms: number): Moment {
  return { serviceMs: ms, wallMs: ms, bootId: 'boot-1', bootMs: ms };
}

export function claimedAt(ms: number): { readonly nowMs: number; readonly moment: Moment } {
  return { nowMs: ms, moment: momentAt(ms) };
}

export function agesBy(clock: { now(): number }): RowAges {
  const moment = (): Moment => momentAt(clock.now());
  return {
    moment,
    ageOf: (left) => ageOf(left, moment()),
    mayResend: (left) => maxElapsedMs(left, moment()) <= KEY_SAFE_MS,
  };
}
