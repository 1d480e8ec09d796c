/** Durations and moments as they are typed. */
import { momentMs, momentText, readDuration } from '../../contract/notation.js';
import type { Zone } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';

/** The limit for one request, in milliseconds. @throws Failure (usage); no time at all is none */
export function timeoutOf({ timeout = '30s' }: { readonly timeout?: string | undefined }): number {
  const ms = durationMs(timeout, '--timeout');
  if (ms > 0) return ms;
  throw new Failure('usage', '--timeout must be more than 0, for example 30s. Nothing was sent.');
}

/**
 * The duration in milliseconds.
 * @param flag how the value is named in the message
 * @param undone the sentence that says that nothing has happened
 * @throws Failure (usage) where the text is no duration, or longer than a year
 */
export function durationMs(text: string, flag: string, undone = 'Nothing was sent.'): number {
  const ms = readDuration(text);
  if (ms !== null) return ms;
  throw new Failure('usage', `${flag} must be a duration, for example 30s, 5m, 48h or 2d. ${undone}`);
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/**
 * Reads a moment, in milliseconds. A day is its first moment or its last, both in the reader's zone; a duration goes back from `nowMs`.
 * @param flag how the value is named in the message
 * @throws Failure (usage)
 */
export function readMoment(
  text: string,
  flag: string,
  end: 'first' | 'last',
  { zone, nowMs }: { readonly zone: Zone; readonly nowMs: number },
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

export interface Since {
  /** In milliseconds. */
  readonly ms: number;
  /** The moment and its zone, as a sentence, where what was typed does not say both; null where it does. */
  readonly said: string | null;
}

const FORM = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(:\d{2}(?:[.]\d+)?)?([Zz]|[+-]\d{2}:\d{2})?)?$/;

/**
 * RFC 3339, a time without an offset, which is one here, or a date. A date begins with the earlier of midnight here and midnight UTC: a person who
 * means the other midnight may have made a payment in between, and the later midnight would pay it once more.
 * @throws Failure `usage`
 */
export function readSince(text: string | undefined, zone: Zone): Since | null {
  if (text === undefined) return null;
  const [, date = '', time, seconds = ':00', offset] = FORM.exec(text) ?? [];
  const shown = `${date}T${time ?? '00:00'}${seconds}`;
  const [shownMs, exactMs] = [Date.parse(`${shown}Z`), Date.parse(shown + (offset ?? 'Z').toUpperCase())];
  // A day that does not exist would become the one after it.
  if (Number.isNaN(shownMs + exactMs) || !new Date(shownMs).toISOString().startsWith(date))
    throw usage('--new-since must be a time (2026-10-28T09:14:08Z) or a day (2026-10-28).');
  if (offset !== undefined) return { ms: exactMs, said: null };
  const hereMs = localMs(shownMs, zone);
  const ms = time === undefined ? Math.min(hereMs, shownMs) : hereMs;
  const which = time === undefined ? midnightText(hereMs, shownMs) : 'that time here';
  return { ms, said: `--new-since ${text} is ${momentText(ms)}, ${which}.` };
}

function midnightText(hereMs: number, utcMs: number): string {
  if (hereMs === utcMs) return 'midnight here and in UTC';
  return hereMs < utcMs
    ? `midnight here (midnight UTC, ${momentText(utcMs)}, is later)`
    : `midnight UTC (midnight here, ${momentText(hereMs)}, is later)`;
}

/** @throws Failure `usage` for a time that has not come yet. @param nowMs in the service's time */
export function requirePast(sinceMs: number | null, nowMs: number): void {
  if (sinceMs !== null && sinceMs > nowMs) throw usage('--new-since must not be in the future.');
}

function usage(message: string): Failure {
  return new Failure('usage', `${message} Nothing was sent.`);
}
