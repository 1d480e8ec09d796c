import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testFolder } from '../support/test-folder.js';
import { dayTimeIn, isTimeZone } from '../../src/runtime/time-zone.js';

const CLOCK = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const ALIASES = ['UTC', 'Etc/GMT+4', 'america/caracas', 'AMERICA/NEW_YORK', 'EST5EDT'];

it('says the day and time that Intl says, in every zone', () => {
  const [firstMs, stepMs] = [Date.parse('2007-12-08T21:17:00Z'), 6217 * 3_600_000];
  const moments = Array.from({ length: 28 }, (_, step) => firstMs + step * stepMs);
  for (const timeZone of [...Intl.supportedValuesOf('timeZone'), ...ALIASES]) {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, ...CLOCK });
    const said = moments.map((ms) => dayTimeIn(timeZone, ms)).map(({ day, time }) => `${day}, ${time}`);
    const right = moments.map((ms) => format.format(ms).toLowerCase().replace(' ', ', ').replace(',,', ','));
    expect(said, timeZone).toEqual(right);
    expect(isTimeZone(timeZone)).toBe(true);
  }
});

it.each(['', 'Mars/Olympus', 'VET4', 'Abc/Def3', 'Caracas', 'America/Caracas '])(
  'knows no zone %j',
  (name) => {
    expect(isTimeZone(name)).toBe(false);
    expect(() => dayTimeIn(name, 0)).toThrow(RangeError);
  },
);

const NEW_YORK = '/usr/share/zoneinfo/America/New_York';

it.skipIf(!existsSync(NEW_YORK))('believes no zone that the C library alone knows', () => {
  const folder = testFolder();
  for (const name of ['America/Olympus', 'AMERICA/NEW_YORK']) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    copyFileSync(NEW_YORK, join(folder, name));
  }
  const before = process.env['TZDIR'];
  process.env['TZDIR'] = folder;
  try {
    expect(isTimeZone('America/Olympus')).toBe(false);
    expect(dayTimeIn('AMERICA/NEW_YORK', Date.parse('2026-07-15T12:00:00Z')).time).toBe('08:00');
  } finally {
    if (before === undefined) delete process.env['TZDIR'];
    else process.env['TZDIR'] = before;
  }
});

it.each([undefined, 'Asia/Tokyo'])('leaves the zone of the process as it was: %s', (ownZone) => {
  const before = process.env['TZ'];
  if (ownZone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = ownZone;
  const offset = new Date(0).getTimezoneOffset();
  dayTimeIn('America/Caracas', 0);
  expect(process.env['TZ']).toBe(ownZone);
  expect(new Date(0).getTimezoneOffset()).toBe(offset);
  process.env['TZ'] = before;
});
