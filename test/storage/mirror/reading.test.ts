import { describe, expect, it } from 'vitest';
import {
  advance,
  beginReading,
  finish,
  LATE_MS,
  nextPass,
  emptyReading,
} from '../../../src/storage/mirror/reading.js';
import type { Reading } from '../../../src/storage/mirror/reading.js';
import { HOUR_MS, START_MS } from '../../feed/given.js';

function passOver(reading: Reading, hours: readonly number[], begunAtMs: number | null = null): Reading {
  const pass = nextPass(reading);
  return hours.reduce(
    (at, hour) => advance(at, pass, { next: `c${hour}` }, START_MS + hour * HOUR_MS),
    beginReading(reading, pass, begunAtMs),
  );
}

const hours = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);
const FRESH = emptyReading('1-0');
const WHOLE = finish(passOver(FRESH, hours(0, 100)));

describe('the next pass', () => {
  it('of what was never read begins at the start', () => {
    expect(nextPass(FRESH)).toEqual({ from: null, isLoose: false });
  });

  it('begins 48 hours behind the newest event', () => {
    const from = { cursor: 'c52', upToMs: START_MS + 52 * HOUR_MS };
    expect(nextPass(WHOLE)).toEqual({ from, isLoose: false });
    expect(WHOLE.cursor).toBe('c100');
  });

  it('begins at the start where the feed is younger than that', () => {
    expect(nextPass(finish(passOver(FRESH, hours(0, 47)))).from).toBeNull();
    expect(nextPass(finish(passOver(FRESH, hours(0, 48)))).from?.cursor).toBe('c0');
  });

  it('goes no nearer while nothing new happens, and moves on with what does', () => {
    const again = finish(passOver(WHOLE, hours(53, 100), START_MS + 9000 * HOUR_MS));
    expect(nextPass(again).from?.cursor).toBe('c52');
    expect(nextPass(finish(passOver(again, hours(53, 110)))).from?.cursor).toBe('c62');
  });

  it('after one that was stopped begins where that one did, or 48 hours behind what it saw', () => {
    expect(nextPass(passOver(WHOLE, hours(53, 60))).from?.cursor).toBe('c52');
    expect(nextPass(passOver(WHOLE, hours(53, 120))).from?.cursor).toBe('c72');
  });

  it('begins no later than 48 hours before the pass began, however long that took', () => {
    const slow = finish(passOver(FRESH, hours(0, 100), START_MS + 60 * HOUR_MS));
    expect(nextPass(slow).from?.cursor).toBe('c12');
  });
});

it('a cursor is as old as the latest event before it, whatever comes behind', () => {
  const outOfOrder = finish(passOver(FRESH, [0, 70, 1, 2, 3, ...hours(71, 100)]));
  expect(nextPass(outOfOrder).from).toEqual({ cursor: 'c0', upToMs: START_MS });
  expect(passOver(FRESH, [0, 70, 1]).newestMs).toBe(START_MS + 70 * HOUR_MS);
});

it('a pass in which nothing is new leaves the feed as new as it was', () => {
  const pass = nextPass(WHOLE);
  const empty = finish(advance(beginReading(WHOLE, pass, null), pass, { next: 'c100' }, null));
  expect(empty).toMatchObject({ from: pass.from, newestMs: pass.from?.upToMs });
});

describe('a first reading that was stopped', () => {
  const stopped = passOver(FRESH, hours(0, 30));

  it('goes on where it was, and another pass has to follow: something may have shown behind it', () => {
    const rest = nextPass(stopped);
    expect(rest).toMatchObject({ from: { cursor: 'c30' }, isLoose: true });
    const ended = finish(passOver(stopped, hours(31, 200)));
    expect(ended).toMatchObject({ cursor: 'c200', isUnfinished: false });
    expect(nextPass(ended)).toEqual({ from: null, isLoose: false });
  });

  it('goes on where it was again, where the rest was stopped too', () => {
    const twice = passOver(stopped, hours(31, 90));
    expect(nextPass(twice)).toMatchObject({ from: { cursor: 'c90' }, isLoose: true });
    expect(nextPass(finish(twice))).toEqual({ from: null, isLoose: false });
  });

  it('needs no other pass where all that was read was older than an event may be late', () => {
    const old = passOver(FRESH, hours(0, 30), START_MS + 30 * HOUR_MS + LATE_MS);
    expect(nextPass(old)).toMatchObject({ from: { cursor: 'c30' }, isLoose: false });
    const younger = passOver(FRESH, hours(0, 30), START_MS + 30 * HOUR_MS + LATE_MS - 1);
    expect(nextPass(younger)).toMatchObject({ from: { cursor: 'c30' }, isLoose: true });
  });
});

describe('what is remembered', () => {
  it('does not grow with the feed', () => {
    let reading = beginReading(FRESH, nextPass(FRESH), null);
    let most = 0;
    for (let page = 0; page < 50_000; page += 1) {
      reading = advance(reading, nextPass(FRESH), { next: `c${page}` }, START_MS + page * 60_000);
      most = Math.max(most, reading.trail.length);
    }
    expect(most).toBeGreaterThan(40);
    expect(most).toBeLessThan(60);
    const behindMs = START_MS + 49_999 * 60_000 - (reading.from?.upToMs ?? 0);
    expect(behindMs - LATE_MS).toBeLessThan(HOUR_MS);
    expect(behindMs).toBeGreaterThanOrEqual(LATE_MS);
  });

  it('does not grow either where the service says that it is 1970', () => {
    let reading = beginReading(FRESH, nextPass(FRESH), 0);
    for (let page = 0; page < 5000; page += 1) {
      reading = advance(reading, nextPass(FRESH), { next: `c${page}` }, START_MS + page * HOUR_MS);
      expect(reading.trail.length).toBeLessThanOrEqual(128);
    }
    expect(reading).toMatchObject({ from: null, cursor: 'c4999' });
    expect(Number(reading.trail[0]?.cursor.slice(1))).toBeLessThan(4800);
  });

  it('is text: it stands in a column', () => {
    expect(JSON.parse(JSON.stringify(WHOLE))).toEqual(WHOLE);
    const empty = advance(FRESH, nextPass(FRESH), { next: 'c0' }, null);
    expect(JSON.parse(JSON.stringify(empty))).toEqual(empty);
  });
});

it('an empty feed with a cursor leaves nothing out', () => {
  const empty = finish(advance(FRESH, nextPass(FRESH), { next: 'c0' }, null));
  expect(nextPass(empty).from).toBeNull();
});

it('a page whose cursor is its own comes again', () => {
  const pass = nextPass(FRESH);
  const reading = finish(advance(beginReading(FRESH, pass, null), pass, { next: null }, START_MS));
  expect([reading.cursor, nextPass(reading).from, reading.newestMs]).toEqual([null, null, START_MS]);
});
