import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSince, requirePast } from '../../../src/runtime/typed-time.js';
import { UTC, type Zone } from '../../../src/runtime/clock.js';
import { Failure } from '../../../src/runtime/failure.js';

const zoneOf = (offset: number): Zone => ({ offsetMinutes: () => offset });
const KOLKATA = zoneOf(330);
const CARACAS = zoneOf(-240);
const at = (text: string, zone: Zone = UTC): string => new Date(readSince(text, zone)!.ms).toISOString();

describe('a date', () => {
  it.each([
    [KOLKATA, '2026-10-27T18:30:00Z', ', midnight here (midnight UTC, 2026-10-28T00:00:00Z, is later)'],
    [CARACAS, '2026-10-28T00:00:00Z', ', midnight UTC (midnight here, 2026-10-28T04:00:00Z, is later)'],
    [UTC, '2026-10-28T00:00:00Z', ', midnight here and in UTC'],
  ])('begins with the earlier of midnight here and midnight UTC, which is said', (zone, moment, text) => {
    expect(at('2026-10-28', zone)).toBe(moment.replace('Z', '.000Z'));
    expect(readSince('2026-10-28', zone)?.note).toBe(`--new-since 2026-10-28 is ${moment}${text}.`);
  });

  it('begins at neither midnight later than the other, wherever and whenever the clocks are set', () => {
    const hours = fc.integer({ min: -14 * 4, max: 14 * 4 }).map((quarters) => quarters * 15);
    const nights = fc.integer({ min: -48 * 60, max: 48 * 60 });
    fc.assert(
      fc.property(hours, fc.constantFrom(-60, 0, 60), nights, (offset, step, minutes) => {
        const utcMs = Date.parse('2026-10-28T00:00:00Z');
        const changeMs = utcMs + minutes * 60_000;
        const zone: Zone = { offsetMinutes: (ms) => (ms < changeMs ? offset : offset + step) };
        const { ms } = readSince('2026-10-28', zone)!;
        expect(ms).toBeLessThanOrEqual(utcMs);
        for (let earlierMs = ms - 60_000; earlierMs > ms - 26 * 3_600_000; earlierMs -= 60_000) {
          const shown = new Date(earlierMs + zone.offsetMinutes(earlierMs) * 60_000).toISOString();
          if (shown.startsWith('2026-10-28')) expect.fail(`${shown} is earlier`);
        }
      }),
    );
  });
});

describe('a time', () => {
  it.each([
    ['2026-10-28T09:14:08Z', '2026-10-28T09:14:08.000Z'],
    ['2026-10-28t09:14:08.5z', '2026-10-28T09:14:08.500Z'],
    ['2026-10-28 09:14-04:00', '2026-10-28T13:14:00.000Z'],
    ['2026-10-28T00:00Z', '2026-10-28T00:00:00.000Z'],
  ])('%s with its offset says all of it', (text, moment) => {
    expect(at(text, KOLKATA)).toBe(moment);
    expect(readSince(text, KOLKATA)?.note).toBeNull();
  });

  it('without an offset is one here, and that is said', () => {
    expect(at('2026-10-28T09:14', CARACAS)).toBe('2026-10-28T13:14:00.000Z');
    const said = '--new-since 2026-10-28 09:14 is 2026-10-28T13:14:00Z, that time here.';
    expect(readSince('2026-10-28 09:14', CARACAS)?.note).toBe(said);
  });

  it('that was left out in the night when the clocks were set is the earlier of what it may be', () => {
    const change = Date.parse('2026-03-29T01:00:00Z');
    const zone: Zone = { offsetMinutes: (ms) => (ms < change ? 60 : 120) };
    expect(at('2026-03-29T02:30', zone)).toBe('2026-03-29T00:30:00.000Z');
  });
});

it.each([
  ...['', 'yesterday-ish', '2026-13-01', '2026-02-30', '2026-10-28T25:00', '2026-10-28Z', '24h'],
  ' 2026-10-28',
  ...['2026-10-28T24:00:00Z', '2026-10-28T09:14:08+25:99', '2026-02-30T10:00:00Z'],
])('"%s" is none', (text) => {
  expect(() => readSince(text, KOLKATA)).toThrow(Failure);
  expect(() => readSince(text, KOLKATA)).toThrow(/--new-since must be a time/);
});

it('is nothing where nothing was typed, and not to come', () => {
  expect(readSince(undefined, UTC)).toBeNull();
  expect(() => requirePast(null, 0)).not.toThrow();
  expect(() => requirePast(5, 5)).not.toThrow();
  expect(() => requirePast(6, 5)).toThrow(/future/);
});
