import { momentMs, momentText, readDuration } from '../contract/notation.js';
import type { Zone } from './clock.js';
import { Failure, usageFailure } from './failure.js';

export function timeoutOf({ timeout = '30s' }: { readonly timeout?: string | undefined }): number {
  const ms = durationMs(timeout, '--timeout');
  if (ms > 0) return ms;
  throw usageFailure('--timeout must be more than 0, for example 30s.');
}

export function durationMs(text: string, flag: string, lastSentence = 'Nothing was sent.'): number {
  const ms = readDuration(text);
  if (ms !== null) return ms;
  throw new Failure('usage', `${flag} must be a duration, for example 30s, 5m, 48h or 2d. ${lastSentence}`);
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

export function readMoment(
  text: string,
  flag: string,
  whichEnd: 'first' | 'last',
  { zone, nowMs }: { readonly zone: Zone; readonly nowMs: number },
): number {
  const exactMs = momentMs(text);
  if (exactMs !== null) return exactMs;
  if (/^[0-9]+[a-z]+$/.test(text)) return nowMs - durationMs(text, flag);
  const dayMs = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // `Date.parse` turns a day that does not exist, such as 30 February, into a later one.
  if (Number.isNaN(dayMs) || !new Date(dayMs).toISOString().startsWith(text))
    throw usageFailure(
      `${flag} must be a time (2026-10-28T09:14:08Z), a day (2026-10-28) or how long ago (24h).`,
    );
  return whichEnd === 'first' ? momentInZone(dayMs, zone) : momentInZone(dayMs + DAY_MS, zone) - 1;
}

/** `shownMs` is the time on the clocks of the zone, as if it were UTC. */
export function momentInZone(shownMs: number, zone: Zone): number {
  const offsets = [shownMs - DAY_MS, shownMs + DAY_MS].map((atMs) => zone.offsetMinutes(atMs) * MINUTE_MS);
  const possibleMs = offsets.map((offsetMs) => shownMs - offsetMs);
  const matchingMs = possibleMs.filter((atMs) => atMs + zone.offsetMinutes(atMs) * MINUTE_MS === shownMs);
  return Math.min(...(matchingMs.length > 0 ? matchingMs : possibleMs));
}

export interface SinceMoment {
  readonly ms: number;
  readonly note: string | null;
}

const SINCE_FORM = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(:\d{2}(?:[.]\d+)?)?([Zz]|[+-]\d{2}:\d{2})?)?$/;

/**
 * A day begins at the earlier of local midnight and midnight UTC, so that a payment made between the two counts and is
 * not made again.
 */
export function readSince(text: string | undefined, zone: Zone): SinceMoment | null {
  if (text === undefined) return null;
  const [, date = '', time, seconds = ':00', offset] = SINCE_FORM.exec(text) ?? [];
  const localText = `${date}T${time ?? '00:00'}${seconds}`;
  const shownMs = Date.parse(`${localText}Z`);
  const exactMs = Date.parse(localText + (offset ?? 'Z').toUpperCase());
  if (Number.isNaN(shownMs + exactMs) || !new Date(shownMs).toISOString().startsWith(date))
    throw usageFailure('--new-since must be a time (2026-10-28T09:14:08Z) or a day (2026-10-28).');
  if (offset !== undefined) return { ms: exactMs, note: null };
  const localMomentMs = momentInZone(shownMs, zone);
  const ms = time === undefined ? Math.min(localMomentMs, shownMs) : localMomentMs;
  const meaning = time === undefined ? midnightText(localMomentMs, shownMs) : 'that time here';
  return { ms, note: `--new-since ${text} is ${momentText(ms)}, ${meaning}.` };
}

function midnightText(hereMs: number, utcMs: number): string {
  if (hereMs === utcMs) return 'midnight here and in UTC';
  return hereMs < utcMs
    ? `midnight here (midnight UTC, ${momentText(utcMs)}, is later)`
    : `midnight UTC (midnight here, ${momentText(hereMs)}, is later)`;
}

export function requirePast(sinceMs: number | null, serviceNowMs: number): void {
  if (sinceMs !== null && sinceMs > serviceNowMs)
    throw usageFailure('--new-since must not be in the future.');
}
