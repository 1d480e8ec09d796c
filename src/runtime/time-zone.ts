export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

export interface DayTime {
  readonly day: Day;
  readonly time: string;
}

export function isTimeZone(name: string): boolean {
  if (zonesOfIntl().has(name)) return true;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** Throws a RangeError if no time zone has the name `timeZone`. */
export function dayTimeIn(timeZone: string, ms: number): DayTime {
  const localTime = localTimeIn(timeZone, ms);
  if (localTime !== null) return localTime;
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  );
  const weekday = parts.get('weekday')?.toLowerCase();
  const day = DAYS.find((name) => name === weekday);
  if (day === undefined) throw new RangeError('no day of the week');
  return { day, time: `${parts.get('hour') ?? ''}:${parts.get('minute') ?? ''}` };
}

let knownZones: ReadonlySet<string> | null = null;

const zonesOfIntl = (): ReadonlySet<string> => (knownZones ??= new Set(Intl.supportedValuesOf('timeZone')));

/**
 * Asks `Date` in that zone, because the first format of `Intl` takes half as long as starting svc.
 * Null for a zone that `Intl` does not know, because `Date` may leave out its summer time.
 */
function localTimeIn(timeZone: string, ms: number): DayTime | null {
  if (!zonesOfIntl().has(timeZone)) return null;
  const ownZone = process.env['TZ'];
  process.env['TZ'] = timeZone;
  try {
    const date = new Date(ms);
    const day = DAYS[(date.getDay() + 6) % 7];
    if (date.getTimezoneOffset() === 0 || day === undefined) return null;
    return {
      day,
      time: [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':'),
    };
  } finally {
    if (ownZone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = ownZone;
  }
}

const cachedFormats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = cachedFormats.get(timeZone);
  if (format === undefined) {
    const options = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone, ...options });
    cachedFormats.set(timeZone, format);
  }
  return format;
}
