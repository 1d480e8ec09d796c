import { describe, expect, it } from 'vitest';
import { DAY_ORDERS, dayOf, partsOf } from '../../../src/reconcile/file/day.js';
import { UTC, type Zone } from '../../../src/runtime/clock.js';

function days(cell: string, zone: Zone = UTC): readonly (string | null)[] {
  const parts = partsOf(cell);
  return DAY_ORDERS.map((order) => (parts === null ? null : dayOf(parts, order, zone)));
}

const only = (day: string | null): readonly (string | null)[] => [day, day, day];

describe('a day', () => {
  it.each([
    ['03/04/2026', ['2026-04-03', '2026-03-04', null]],
    ['3-4-2026', ['2026-04-03', '2026-03-04', null]],
    ['22.11.2026', ['2026-11-22', null, null]],
    ['11/22/2026', [null, '2026-11-22', null]],
    ['03 04 2026', ['2026-04-03', '2026-03-04', null]],
    ['03/04/26', ['2026-04-03', '2026-03-04', null]],
    ['26/11/22', ['2022-11-26', null, null]],
    ['22112026', ['2026-11-22', null, null]],
    ['03042026', ['2026-04-03', '2026-03-04', null]],
  ] as const)('%j is one of %j', (cell, [dmy, mdy, ymd]) => {
    const isShort = /^\d\d\/\d\d\/\d\d$/.test(cell);
    expect(days(cell).slice(0, 2)).toEqual([dmy, mdy]);
    if (!isShort) expect(days(cell)[2]).toBe(ymd);
  });

  it('may begin with a year of two digits', () => expect(days('26/11/22')[2]).toBe('2026-11-22'));

  it.each(
    [
      ...['2026-11-22|2026-11-22', '2026/1/2|2026-01-02', '20261122|2026-11-22', '22-nov-2026|2026-11-22'],
      ...['22-NOV-26|2026-11-22', '22 de noviembre de 2026|2026-11-22', '1 ene. 2026|2026-01-01'],
      ...['01/DEZ/2026|2026-12-01', '5 set 2026|2026-09-05', 'Nov 22, 2026|2026-11-22'],
      ...['2026-11-22 14:30|2026-11-22', '2026-11-22T23:59:59.999|2026-11-22'],
      ...['2026-11-22, 2:30 p. m.|2026-11-22', '2024-02-29|2024-02-29'],
    ].map((row) => row.split('|')),
  )('%j is %j in every order', (cell, day) => expect(days(cell)).toEqual(only(day)));

  it.each([
    ...['2026-02-29', '2026-13-01', '2026-00-10', '2026-10-00', '2026-10-32', '1026-10-10', '3026-10-10'],
    ...['22/11', '22/11/026', '22/xyz/2026', '22/11-2026', '2026-11-22 25:00', '2026-11-22 10:61'],
    ...['2026-11-22 later', '46348', 'today', ''],
    '9'.repeat(1000),
  ])('%j is none', (cell) => expect(days(cell)).toEqual(only(null)));

  it.each([
    ['2026-11-23T02:30:00Z', '2026-11-22'],
    ['2026-11-22T23:30:00-04:00', '2026-11-22'],
    ['2026-11-23T00:30:00+0100', '2026-11-22'],
    ['2026-11-22T02:30:00-05:00', '2026-11-22'],
    ['2026-11-22 12:30 a. m. Z', '2026-11-21'],
    ['2026-11-22 12:30 p. m. -04:00', '2026-11-22'],
    ['2026-11-23 02:30:00', '2026-11-23'],
    ['23/11/2026 02:30 UTC', null],
  ])('%j is that of the reader in Caracas where it says its zone: %j', (cell, day) => {
    const caracas = { offsetMinutes: () => -240 };
    if (day === null) expect(days(cell, caracas)).toEqual(['2026-11-22', null, null]);
    else expect(days(cell, caracas)).toEqual(only(day));
  });

  it.each([
    ['2026-11-22T03:30:00Z', '2026-11-22'],
    ['2026-11-22T02:30:00Z', '2026-11-21'],
  ])('%j is that of the zone at that moment, on the day on which its clocks change: %j', (cell, day) => {
    const changeMs = Date.parse('2026-11-22T03:00:00Z');
    expect(days(cell, { offsetMinutes: (ms) => (ms < changeMs ? -240 : -180) })).toEqual(only(day));
  });
});
