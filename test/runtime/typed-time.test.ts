import { describe, expect, it } from 'vitest';
import { readMoment } from '../../src/runtime/typed-time.js';
import { UTC, type Zone } from '../../src/runtime/clock.js';
import { Failure } from '../../src/runtime/failure.js';

const nowMs = Date.parse('2026-10-28T12:00:00Z');
const read = (text: string, end: 'first' | 'last' = 'first', zone: Zone = UTC): string =>
  new Date(readMoment(text, '--since', end, { zone, nowMs })).toISOString();

describe('a moment', () => {
  it.each([
    ['2026-10-28T09:14:08Z', '2026-10-28T09:14:08.000Z'],
    ['2026-10-28T09:14:08.123-04:00', '2026-10-28T13:14:08.123Z'],
    ['24h', '2026-10-27T12:00:00.000Z'],
    ['2d', '2026-10-26T12:00:00.000Z'],
    ['0s', '2026-10-28T12:00:00.000Z'],
    ['2026-10-28', '2026-10-28T00:00:00.000Z'],
  ])('%s is %s', (text, expected) => expect(read(text)).toBe(expected));

  it('of a day is its first or its last, where the reader is', () => {
    const caracas: Zone = { offsetMinutes: () => -240 };
    expect(read('2026-10-28', 'first', caracas)).toBe('2026-10-28T04:00:00.000Z');
    expect(read('2026-10-28', 'last', caracas)).toBe('2026-10-29T03:59:59.999Z');
    expect(read('2026-10-28', 'last', { offsetMinutes: () => 840 })).toBe('2026-10-28T09:59:59.999Z');
  });

  it('of a day in which the clocks are set has 23 hours or 25', () => {
    // On 29 March at 01:00Z the clocks of this zone go from +1 to +2.
    const change = Date.parse('2026-03-29T01:00:00Z');
    const zone: Zone = { offsetMinutes: (ms) => (ms < change ? 60 : 120) };
    expect(read('2026-03-29', 'first', zone)).toBe('2026-03-28T23:00:00.000Z');
    expect(read('2026-03-29', 'last', zone)).toBe('2026-03-29T21:59:59.999Z');
  });

  it.each([
    ...['', 'yesterday', '2026-13-01', '2026-02-30', '2026-10-28T09:14', '2026-10-28T09:14:08', '-24h', '24'],
    ...['1y', '9999999d', ' 24h'],
  ])('"%s" is none', (text) => {
    expect(() => read(text)).toThrow(Failure);
    expect(() => read(text)).toThrow(/--since/);
  });
});
