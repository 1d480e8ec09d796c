import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderMember, renderTime } from '../../src/output/time.js';
import { UTC } from '../../src/runtime/clock.js';

const zone = (offset: number) => ({ offsetMinutes: () => offset });

it.each([
  ['2026-11-03T14:30:00Z', 0, '2026-11-03 14:30:00Z'],
  ['2026-11-03T14:30:00Z', -240, '2026-11-03 10:30:00-0400'],
  ['2026-11-03T02:30:00Z', -240, '2026-11-02 22:30:00-0400'],
  ['2026-12-31T18:30:00Z', 330, '2027-01-01 00:00:00+0530'],
  ['2026-11-03T14:30:00Z', 345, '2026-11-03 20:15:00+0545'],
  ['2026-11-03T14:30:00Z', -210, '2026-11-03 11:00:00-0330'],
  ['2026-11-03T14:30:00.250Z', 840, '2026-11-04 04:30:00.250+1400'],
  ['2026-11-03T14:30:00+02:00', 0, '2026-11-03 12:30:00Z'],
  ['2026-11-03T14:30:00-03:30', 330, '2026-11-03 23:30:00+0530'],
])('%s at %i minutes east of UTC is %s', (text, offset, shown) => {
  expect(renderTime(text, zone(offset))).toBe(shown);
});

it('asks for the offset at that moment', () => {
  const change = Date.parse('2026-03-29T01:00:00Z');
  const berlin = { offsetMinutes: (atMs: number) => (atMs < change ? 60 : 120) };
  expect(renderTime('2026-03-29T00:59:59Z', berlin)).toBe('2026-03-29 01:59:59+0100');
  expect(renderTime('2026-03-29T03:00:00+02:00', berlin)).toBe('2026-03-29 03:00:00+0200');
});

it.each([
  ...['', 'soon', '2026-11-03', '2026-11-03T14:30Z', '2026-11-03T14:30:00', '2026-02-30T00:00:00Z'],
  ...['2026-13-01T00:00:00Z', '2026-11-03T24:00:00Z', '9999-12-31T23:59:59Z'],
  ...[' 2026-11-03T14:30:00Z', '2026-11-03T14:30:00Z\n'],
])('%j stays as it is', (text) => expect(renderTime(text, zone(60))).toBe(text));

it('shows the same moment in every zone', () => {
  const years = { min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z') };
  fc.assert(
    fc.property(
      fc.date({ ...years, noInvalidDate: true }),
      fc.integer({ min: -14 * 60, max: 14 * 60 }),
      (date, offset) => {
        const shown = renderTime(date.toISOString(), zone(offset));
        const written = shown.replace(' ', 'T').replace(/(\d\d)$/, ':$1');
        expect(renderTime(written, UTC)).toBe(date.toISOString().replace('T', ' '));
      },
    ),
  );
});

describe('by the name of a member', () => {
  const time = '2026-11-03T14:30:00Z';
  it.each([
    ...['at', 'now', 'valid_until', 'created_at', 'data.occurred_at', 'attempts.at', 'operation.expires_at'],
  ])('%s is a time', (name) => expect(renderMember(name, time, UTC)).toBe('2026-11-03 14:30:00Z'));
  const NO_TIMES = [
    ...['reference', 'know', 'format', 'metadata.paid_at', 'operation.metadata.at', 'what', 'at.text'],
  ];
  it.each(NO_TIMES)('%s is none', (name) => expect(renderMember(name, time, UTC)).toBe(time));
});
