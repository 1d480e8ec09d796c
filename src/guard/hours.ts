/** The hours in which something may begin: days and times of a day in a time zone. Pure. */

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

export interface Hours {
  /** As IANA names it. */
  readonly timezone: string;
  readonly days: readonly Day[];
  /** `08:00`: from this minute on. */
  readonly from: string;
  /** `18:00`, at most `24:00`: this minute is over. Later than `from`. */
  readonly to: string;
}

/** A moment as people there name it. */
export interface DayTime {
  readonly day: Day;
  /** `17:59` */
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

/** To make one takes longer than to judge a row. */
const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * @param timezone one that is
 * @param ms since the epoch
 */
export function dayTimeAt(timezone: string, ms: number): DayTime {
  let format = formats.get(timezone);
  if (format === undefined) {
    const clock = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, ...clock });
    formats.set(timezone, format);
  }
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const weekday = parts.get('weekday')?.toLowerCase();
  const day = DAYS.find((name) => name === weekday);
  if (day === undefined) throw new RangeError('no day of the week');
  return { day, time: `${parts.get('hour') ?? ''}:${parts.get('minute') ?? ''}` };
}

/** Times of a day are texts of one length, which stand in their order. */
export function isInHours({ days, from, to }: Hours, { day, time }: DayTime): boolean {
  return days.includes(day) && time >= from && time < to;
}

/** `mon, tue 08:00 to 18:00 America/Caracas` */
export function hoursText({ timezone, days, from, to }: Hours): string {
  return `${DAYS.filter((day) => days.includes(day)).join(', ')} ${from} to ${to} ${timezone}`;
}
