/** Times and names as a person reads them. Pure. */

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `22 Nov 12:04:05`, in UTC as everything of the service; as it is where it is no time. */
export function shortTime(iso: string): string {
  const [, month, day, time] = /^\d{4}-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)/.exec(iso) ?? [];
  const name = MONTHS[Number(month) - 1];
  return name === undefined || time === undefined ? iso : `${String(Number(day))} ${name} ${time}`;
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
