export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

export interface Hours {
  readonly timezone: string;
  readonly days: readonly Day[];
  readonly from: string;
  readonly to: string;
}

export interface DayTime {
  readonly day: Day;
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

export function isInHours({ days, from, to }: Hours, { day, time }: DayTime): boolean {
  return days.includes(day) && time >= from && time < to;
}

export function hoursText({ timezone, days, from, to }: Hours): string {
  return `${DAYS.filter((day) => days.includes(day)).join(', ')} ${from} to ${to} ${timezone}`;
}
