import { beforeEach, describe, expect, it } from 'vitest';
import { SavedPosition, FollowerState, judge, duration } from '../../../src/events/service/follower-state.js';
import type { Health } from '../../../src/events/service/follower-state.js';
import { statusLine } from '../../../src/events/service/notify.js';
import { ids, page, pageOfIds } from '../../feed/feed.js';
import { testClocks, type TestClocks } from './clocks.js';

const MAX_MS = 300_000;
let clocks: TestClocks;
let place: SavedPosition;
let standing: FollowerState;
beforeEach(() => begin(0));

function begin(agoMs: number): void {
  clocks = testClocks(Date.parse('2026-09-23T15:00:00Z') + agoMs);
  place = new SavedPosition(clocks);
  standing = new FollowerState(clocks, place);
}

const health = (): Health => judge(standing.facts(), MAX_MS).health;
const line = (): string => statusLine(standing.facts(), MAX_MS);
const pageOf = (names: readonly string[]) => pageOfIds(names, 'c');

function read(names: readonly string[]) {
  const answer = pageOf(names);
  standing.onRequest();
  standing.onPage(answer);
  standing.onPageTaken();
  if (names.length > 0) standing.onWaiting(answer, answer.events);
  return answer;
}

function pass(names: readonly string[], isEnd: boolean): void {
  const answer = read(names);
  for (const event of answer.events) standing.onAccepted([event]);
  standing.onPassed({ page: answer, isEnd });
  place.beginSave()(true);
}

describe('what is well', () => {
  it('an empty feed that is asked and answers, for days', () => {
    for (let look = 0; look < 100; look += 1) {
      pass([], true);
      expect(health()).toBe('ok');
      clocks.advance(3_600_000);
    }
  });

  it('a feed that has been quiet for hours, all of it accepted', () => {
    pass(ids(3), true);
    for (let look = 0; look < 600; look += 1) {
      clocks.advance(60_000);
      pass([], true);
    }
    expect([health(), standing.facts().lagMs]).toEqual(['ok', 0]);
  });

  it('the first event after a quiet day, in hand: it is as late as it is, not as the one before it', () => {
    begin(24 * 3_600_000);
    pass([], true);
    clocks.advance(2000);
    read(['e9']);
    expect([health(), standing.facts().lagMs]).toEqual(['ok', 2000]);
  });
});

describe('what is red', () => {
  it('the start, before the first page', () => {
    expect(health()).toBe('starting');
    standing.onRequest();
    clocks.advance(MAX_MS - 1);
    expect(health()).toBe('starting');
    clocks.advance(1);
    expect(health()).toBe('unreachable');
  });

  it('an event that nobody accepts, within the limit, though nothing happens behind it', () => {
    pass(ids(2), true);
    clocks.advance(2000);
    read(['e3']);
    clocks.advance(MAX_MS - 2001);
    expect(health()).toBe('ok');
    clocks.advance(1);
    const why = 'Event e3 has not been accepted for 4 min, and all others wait behind it.';
    expect(judge(standing.facts(), MAX_MS)).toEqual({ health: 'not_accepted', why });
  });

  it.each([-30, 30])('the same where the clock of the service is %i days off', (days) => {
    clocks.aheadMs = days * 86_400_000;
    pass(ids(1), true);
    clocks.advance(1000);
    read(['e2']);
    clocks.advance(MAX_MS);
    expect(health()).toBe('not_accepted');
  });

  it('the same for events that do not say when they happened', () => {
    const answer = page(['{"id":"e1"}', '{"id":"e2","occurred_at":"soon"}'], 'c');
    standing.onPage(answer);
    standing.onPageTaken();
    standing.onWaiting(answer, answer.events);
    expect(health()).toBe('ok');
    clocks.advance(MAX_MS);
    expect(health()).toBe('not_accepted');
  });

  it('a page whose events are accepted one by one, too slowly', () => {
    const answer = read(ids(40));
    for (const event of answer.events) {
      clocks.advance(10_000);
      standing.onAccepted([event]);
      place.beginSave()(true);
    }
    expect(health()).toBe('behind');
  });

  it('a run that catches up on what is old, until it is there', () => {
    begin(7 * 86_400_000);
    pass(ids(3), false);
    const why = 'svc is 7 d behind the newest event.';
    expect(judge(standing.facts(), MAX_MS)).toEqual({ health: 'behind', why });
    pass(ids(3, 4), true);
    expect(health()).toBe('ok');
  });

  it('a service that has not answered for that long: the newest event is not known', () => {
    pass(ids(2), true);
    standing.onRequest();
    clocks.advance(MAX_MS - 1);
    standing.onRequest();
    expect(health()).toBe('ok');
    clocks.advance(1);
    const why = 'The service has not answered for 5 min, so the newest event is unknown.';
    expect(judge(standing.facts(), MAX_MS)).toEqual({ health: 'unreachable', why });
    pass([], true);
    expect(health()).toBe('ok');
  });

  it('a checkpoint that could not be saved, at once, until it is', () => {
    pass(ids(1), true);
    const answer = read(['e2']);
    standing.onAccepted(answer.events);
    place.beginSave()(false);
    expect(health()).toBe('checkpoint');
    place.beginSave()(true);
    standing.onPassed({ page: answer, isEnd: true });
    expect(health()).toBe('ok');
  });

  it('a checkpoint whose saving takes that long, though all else goes on', () => {
    const look = (names: readonly string[]): void => {
      const answer = read(names);
      if (names.length > 0) standing.onAccepted(answer.events);
      standing.onPassed({ page: answer, isEnd: true });
    };
    look(['e1']);
    place.beginSave();
    clocks.advance(MAX_MS - 1);
    look([]);
    expect(health()).toBe('ok');
    clocks.advance(1);
    look(['e2']);
    expect(health()).toBe('checkpoint');
  });
});

describe('the checkpoint', () => {
  it('is as old as what is missing in it', () => {
    place.onAccepted();
    expect(place.facts()).toBeNull();
    place.beginSave()(true);
    place.onAccepted();
    const savedAtMs = clocks.now();
    clocks.advance(700);
    place.onAccepted();
    expect(place.facts()).toEqual({ ageMs: 700, hasFailed: false, savedAtMs });
    const ended = place.beginSave();
    clocks.advance(50);
    place.onAccepted();
    ended(true);
    expect(place.facts()).toMatchObject({ ageMs: 50, savedAtMs: clocks.now() });
    place.beginSave()(true);
    expect(place.facts()?.ageMs).toBe(0);
  });

  it('is that of the reading that goes on: what another one could not save will come again', () => {
    place.onAccepted();
    const [first, second] = [place.beginSave(), place.beginSave()];
    first(false);
    expect(place.facts()?.hasFailed).toBe(true);
    standing.begin();
    expect(place.facts()).toMatchObject({ ageMs: 0, hasFailed: false });
    second(false);
    expect(place.facts()?.hasFailed).toBe(false);
  });
});

it('counts what was accepted, refused and tried again, and what is known to be missing', () => {
  const answer = read(ids(3));
  standing.onPage(pageOf(ids(2, 4)));
  standing.onAttempt(1, false);
  standing.onAttempt(2, false);
  standing.onAttempt(3, true);
  standing.onAccepted(answer.events.slice(0, 1));
  const counts = { accepted: 1, refused: 2, retried: 2, lagEvents: 4 };
  expect(standing.facts()).toMatchObject({ ...counts, firstWaiting: { id: 'e2' } });
});

it.each([
  [0, '0 s'],
  [119_999, '119 s'],
  [120_000, '2 min'],
  [7_199_000, '119 min'],
  [7_200_000, '2 h'],
  [172_800_000, '2 d'],
])('%i ms are %s', (ms, text) => expect(duration(ms)).toBe(text));

it('says in a line how it stands', () => {
  expect(line()).toMatch(/^svc has not read any events yet: /);
  standing.onPage(pageOf(ids(2)));
  expect(line()).toBe('The service answered. svc is reading the first events.');
  pass(ids(2), true);
  expect(line()).toBe('OK: 2 events accepted, lag 0 s.');
  read(['e3']);
  clocks.advance(60_000);
  expect(line()).toBe('Event e3 has not been accepted for 60 s: 2 events accepted, lag 60 s.');
});

it('an event that everybody waits for is named from the first second on', () => {
  pass(ids(2), true);
  read(['e3']);
  clocks.advance(999);
  expect(line()).toMatch(/^OK: /);
  clocks.advance(1);
  expect(line()).toMatch(/^Event e3 has not been accepted for 1 s: /);
});

it('an event that waits for half of the lag is what the lag comes from', () => {
  begin(MAX_MS);
  read(['e1']);
  clocks.advance(MAX_MS);
  expect([standing.facts().lagMs, health()]).toEqual([2 * MAX_MS, 'not_accepted']);
});

it('the next event has waited since the one before it was accepted', () => {
  const { events } = read(ids(2));
  clocks.advance(MAX_MS);
  standing.onAccepted(events.slice(0, 1));
  expect(standing.facts().firstWaiting).toEqual({ id: 'e2', waitedMs: 0 });
});

it('a feed that is read again has nothing that is still to come', () => {
  standing.onPage(pageOf(ids(3)));
  expect(standing.facts().lagEvents).toBe(3);
  standing.begin();
  expect(standing.facts().lagEvents).toBe(0);
});
