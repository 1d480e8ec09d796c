/** The hours in which a payment may begin: days and times of day in a time zone. Pure. */

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

export interface Hours {
  /** An IANA name. */
  readonly timezone: string;
  readonly days: readonly Day[];
  /** The first minute of the hours, such as `08:00`. */
  readonly from: string;
  /** The first minute after the hours, such as `18:00`. It is later than `from`, and at most `24:00`. */
  readonly to: string;
}

/** A moment in the local time of a time zone. */
export interface DayTime {
  readonly day: Day;
  /** The time of day, such as `17:59`. */
  readonly time: string;
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Caches formats, because it is slow to make one. */
const cachedFormats = new Map<string, Intl.DateTimeFormat>();

export function dayTimeAt(timezone: string, ms: number): DayTime {
  let format = cachedFormats.get(timezone);
  if (format === undefined) {
    const clock = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, ...clock });
    cachedFormats.set(timezone, format);
  }
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const weekday = parts.get('weekday')?.toLowerCase();
  const day = DAYS.find((name) => name === weekday);
  if (day === undefined) throw new RangeError('no day of the week');
  return { day, time: `${parts.get('hour') ?? ''}:${parts.get('minute') ?? ''}` };
}

/** Compares times as text, which works because all have five characters. */
export function isInHours({ days, from, to }: Hours, { day, time }: DayTime): boolean {
  return days.includes(day) && time >= from && time < to;
}

/** Returns, for example, `mon, tue 08:00 to 18:00 America/Caracas`. */
export function hoursText({ timezone, days, from, to }: Hours): string {
  return `${DAYS.filter((day) => days.includes(day)).join(', ')} ${from} to ${to} ${timezone}`;
}
