export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

export interface DayTime {
  readonly day: Day;
  readonly time: string;
}

let knownZones: ReadonlySet<string> | null = null;

const zonesOfIntl = (): ReadonlySet<string> => (knownZones ??= new Set(Intl.supportedValuesOf('timeZone')));

export function isTimeZone(name: string): boolean {
  if (zonesOfIntl().has(name)) return true;
  try {
    formatIn(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * `Date` serves the zones that `Intl` lists, because `Intl` is slow at first. `Intl` serves all other names, because
 * `Date` may leave out their summer time. An unknown name throws a RangeError.
 */
export function dayTimeIn(timeZone: string, ms: number): DayTime {
  if (zonesOfIntl().has(timeZone)) return localTimeIn(timeZone, ms);
  const parts = new Map(
    formatIn(timeZone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  );
  const weekday = parts.get('weekday')?.toLowerCase();
  return dayTimeOf(
    DAYS.find((name) => name === weekday),
    [parts.get('hour') ?? '', parts.get('minute') ?? ''],
  );
}

/** Call it only in the main thread, because `Date` follows the `TZ` of no other thread. */
function localTimeIn(timeZone: string, ms: number): DayTime {
  const ownZone = process.env['TZ'];
  process.env['TZ'] = timeZone;
  try {
    const date = new Date(ms);
    const parts = [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0'));
    return dayTimeOf(DAYS[(date.getDay() + 6) % 7], parts);
  } finally {
    if (ownZone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = ownZone;
  }
}

function dayTimeOf(day: Day | undefined, parts: readonly string[]): DayTime {
  if (day === undefined) throw new RangeError('no day of the week');
  return { day, time: parts.join(':') };
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const options = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat('en-US', { timeZone, ...options });
}
