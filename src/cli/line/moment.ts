/** Moments as people type them: an exact one, a day, or how long ago. */
import { momentMs } from '../../contract/notation.js';
import type { Zone } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { durationMs } from './duration.js';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

export interface MomentWorld {
  /** In which a day begins. */
  readonly zone: Zone;
  /** From which a duration goes back, in milliseconds. */
  readonly nowMs: number;
}

/**
 * In milliseconds. Of a day its first moment or its last, both in the reader's zone.
 * @param flag how the value is named in the message
 * @throws Failure (usage)
 */
export function readMoment(
  text: string,
  flag: string,
  end: 'first' | 'last',
  { zone, nowMs }: MomentWorld,
): number {
  const exact = momentMs(text);
  if (exact !== null) return exact;
  if (/^[0-9]+[a-z]+$/.test(text)) return nowMs - durationMs(text, flag);
  const dayMs = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // A day that does not exist would become the one after it.
  if (Number.isNaN(dayMs) || !new Date(dayMs).toISOString().startsWith(text))
    throw new Failure(
      'usage',
      `${flag} must be a time (2026-10-28T09:14:08Z), a day (2026-10-28) or how long ago (24h). Nothing was sent.`,
    );
  return end === 'first' ? localMs(dayMs, zone) : localMs(dayMs + DAY_MS, zone) - 1;
}

/**
 * The first moment at which clocks in that zone show this. Where the night in which they are set leaves it out: the one at which they would
 * have, by the offset that makes it the earlier.
 * @param shownMs what they show, as if it were UTC
 */
export function localMs(shownMs: number, zone: Zone): number {
  const offsets = [shownMs - DAY_MS, shownMs + DAY_MS].map((atMs) => zone.offsetMinutes(atMs) * MINUTE_MS);
  const possible = offsets.map((offsetMs) => shownMs - offsetMs);
  const right = possible.filter((atMs) => atMs + zone.offsetMinutes(atMs) * MINUTE_MS === shownMs);
  return Math.min(...(right.length > 0 ? right : possible));
}
