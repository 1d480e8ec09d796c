/** The moment that `--new-since` names: payments from before it are others. */
import { momentText } from '../../contract/notation.js';
import type { Zone } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { localMs } from './moment.js';

export interface Since {
  /** In milliseconds. */
  readonly ms: number;
  /** The moment and its zone, as a sentence, where what was typed does not say both; null where it does. */
  readonly said: string | null;
}

const FORM = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(:\d{2}(?:[.]\d+)?)?([Zz]|[+-]\d{2}:\d{2})?)?$/;

/**
 * RFC 3339, a time without an offset, which is one here, or a date. A date begins with the earlier of midnight here and midnight UTC: whoever
 * means another midnight than `svc` does has made a payment in between, and the later one would pay it once more.
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
