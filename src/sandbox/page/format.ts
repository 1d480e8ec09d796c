/** Times and names as a person reads them. Pure. */

/** Whose time is shown: that of the reader's machine, or UTC as everything of the service. */
export const ZONES = ['local', 'UTC'] as const;
export type ShownZone = (typeof ZONES)[number];

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MINUTE_MS = 60_000;

/** `22 Nov 12:04:05`; as it is where it is no time. */
export function shortTime(iso: string, zone: ShownZone, localOffset = offsetHere): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return iso;
  const offset = zone === 'UTC' ? 0 : localOffset(ms);
  const shifted = new Date(ms + offset * MINUTE_MS).toISOString();
  const [, month, day, time] = /^\d{4}-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)/.exec(shifted) ?? [];
  const name = MONTHS[Number(month) - 1];
  return name === undefined || time === undefined ? iso : `${String(Number(day))} ${name} ${time}`;
}

/** `UTC`, `UTC+1`, `UTC-4:30`: what a time in that zone is labelled with. */
export function zoneLabel(ms: number, zone: ShownZone, localOffset = offsetHere): string {
  const minutes = zone === 'UTC' ? 0 : localOffset(ms);
  if (minutes === 0) return 'UTC';
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? '-' : '+'}${String(hours)}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
}

/** Of the reader's machine, in minutes, then. */
function offsetHere(ms: number): number {
  return -new Date(ms).getTimezoneOffset();
}

/** The beginning of a day in that zone, as ISO; null for what is no day. */
export function startOfDay(day: string, zone: ShownZone, daysLater = 0): string | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  const place = [Number(year), Number(month) - 1, Number(date) + daysLater] as const;
  const ms = zone === 'UTC' ? Date.UTC(...place) : new Date(...place).getTime();
  return Number.isNaN(ms) ? null : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

/** The two greatest units: `1 d 23 h`, `4 min 59 s`; `0 s` for less than a second. */
export function duration(ms: number): string {
  let rest = Math.max(0, ms);
  const parts: string[] = [];
  for (const [size, name] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${String(count)} ${name}`);
    else if (parts.length > 0) break;
  }
  return parts.slice(0, 2).join(' ') || '0 s';
}

/** `in 4 min 59 s`, `2 h ago`. */
export function away(iso: string, nowMs: number): string {
  const ms = Date.parse(iso) - nowMs;
  return ms >= 0 ? `in ${duration(ms)}` : `${duration(-ms)} ago`;
}

/** `debit_otp` as words. */
export function asWords(name: string): string {
  return name.replaceAll('_', ' ');
}

/** `confirmed` at the beginning of a sentence. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
