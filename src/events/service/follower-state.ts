/** The state of a follower: what it has done, what it waits for, and since when. */
import { jsonIn } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import { momentMs } from '../../contract/notation.js';
import { bytesOf, type FeedEvent, type Page, type Visit } from '../../feed/walk.js';

/** The state of a run at one moment. Times that end in `AtMs` are this machine's, since the epoch; null for never. */
export interface FollowerFacts {
  /** True once the sink has got the first page. */
  readonly hasBegun: boolean;
  readonly accepted: number;
  /** Attempts that ended without being accepted. */
  readonly refused: number;
  /** Attempts after the first one of an event. */
  readonly retried: number;
  readonly lagMs: number;
  /** The number of events that were read and not accepted yet. The receiver lacks at least these events. */
  readonly lagEvents: number;
  /** The first event that waits to be accepted, and for how long; all others wait behind it. */
  readonly front: { readonly id: string; readonly waitedMs: number } | null;
  /** How long the service has not answered. */
  readonly unansweredMs: number;
  readonly answeredAtMs: number | null;
  readonly acceptedAtMs: number | null;
  /** The state of the saved position; null if the run saves none. */
  readonly checkpoint: SavedFacts | null;
}

interface LocatedEvent {
  readonly page: Page;
  readonly event: FeedEvent;
}

export class FollowerState {
  readonly #clocks: Clocks;
  readonly #startedMs: number;
  readonly #savedPosition: SavedPosition;
  readonly #counts = { accepted: 0, refused: 0, retried: 0 };
  readonly #wallTimes: { answered: number | null; accepted: number | null } = {
    answered: null,
    accepted: null,
  };
  #askedMs: number | null = null;
  #answeredMs: number | null = null;
  /** When the service last answered with the end of the feed. Set once every event before that end is accepted. */
  #currentMs: number | null = null;
  #hasBegun = false;
  /** The number of events in pages that were read ahead. */
  #readAhead = 0;
  #pageInHand: { readonly page: Page; waiting: readonly FeedEvent[]; sinceMs: number } | null = null;
  #lastAccepted: LocatedEvent | null = null;

  constructor(clocks: Clocks, savedPosition: SavedPosition) {
    this.#clocks = clocks;
    this.#savedPosition = savedPosition;
    this.#startedMs = clocks.monotonic();
  }

  /** Reading begins at the saved position: no page is in hand and no request is open. */
  begin(): void {
    [this.#pageInHand, this.#askedMs, this.#readAhead] = [null, null, 0];
    this.#savedPosition.begin();
  }

  /** A page is requested. A repeated request counts from the first time. */
  onRequest(): void {
    this.#askedMs ??= this.#clocks.monotonic();
  }

  onPage(page: Page): void {
    this.#askedMs = null;
    this.#readAhead += page.events.length;
    this.#answeredMs = this.#clocks.monotonic();
    this.#wallTimes.answered = this.#clocks.now();
  }

  /** The run takes a page; no page is read ahead now. */
  onPageTaken(): void {
    this.#hasBegun = true;
    this.#readAhead = 0;
  }

  /** These events of the page wait to be accepted. */
  onWaiting(page: Page, events: readonly FeedEvent[]): void {
    this.#pageInHand = { page, waiting: events, sinceMs: this.#clocks.monotonic() };
  }

  /** The next events were accepted. */
  onAccepted(events: readonly FeedEvent[]): void {
    this.#counts.accepted += events.length;
    this.#wallTimes.accepted = this.#clocks.now();
    this.#savedPosition.onAccepted();
    const event = events.at(-1);
    if (this.#pageInHand === null || event === undefined) return;
    const { page, waiting } = this.#pageInHand;
    this.#lastAccepted = { page, event };
    this.#pageInHand = { page, waiting: waiting.slice(events.length), sinceMs: this.#clocks.monotonic() };
  }

  /** All events of the page are accepted. If `isEnd`, the page is the one that was answered last. */
  onPassed({ page, isEnd }: Pick<Visit, 'page' | 'isEnd'>): void {
    this.#pageInHand = null;
    const event = page.events.at(-1);
    if (event !== undefined) this.#lastAccepted = { page, event };
    if (isEnd) this.#currentMs = this.#answeredMs;
  }

  /** An attempt to hand an event over has ended; an event's first attempt is number 1. */
  onAttempt(attempt: number, isAccepted: boolean): void {
    if (!isAccepted) this.#counts.refused += 1;
    if (attempt > 1) this.#counts.retried += 1;
  }

  facts(): FollowerFacts {
    const nowMs = this.#clocks.monotonic();
    const since = (ms: number | null): number | null => (ms === null ? null : nowMs - ms);
    const firstWaiting = this.#firstWaiting();
    const waitedMs = firstWaiting === null ? null : since(this.#pageInHand?.sinceMs ?? null);
    const unansweredMs = since(this.#askedMs) ?? 0;
    const bounds = { sinceCurrentMs: since(this.#currentMs), ageMs: this.#ageMs(), waitedMs, unansweredMs };
    return {
      ...{ hasBegun: this.#hasBegun, ...this.#counts, unansweredMs },
      lagMs: lagOf({ ...bounds, runMs: nowMs - this.#startedMs }),
      lagEvents: (this.#pageInHand?.waiting.length ?? 0) + this.#readAhead,
      front: firstWaiting === null ? null : { id: firstWaiting.event.id, waitedMs: waitedMs ?? 0 },
      answeredAtMs: this.#wallTimes.answered,
      acceptedAtMs: this.#wallTimes.accepted,
      checkpoint: this.#savedPosition.facts(),
    };
  }

  #firstWaiting(): LocatedEvent | null {
    const [event] = this.#pageInHand?.waiting ?? [];
    return this.#pageInHand === null || event === undefined ? null : { page: this.#pageInHand.page, event };
  }

  /** The age of the first waiting event, else of the last accepted one. No other event is parsed. */
  #ageMs(): number | null {
    const located = this.#firstWaiting() ?? this.#lastAccepted;
    const occurredMs = located === null ? null : occurredAt(bytesOf(located.page, located.event));
    return occurredMs === null ? null : this.#clocks.serviceNow() - occurredMs;
  }
}

/** When the event happened; null for an event without a valid time. */
function occurredAt(bytes: Uint8Array): number | null {
  const value = jsonIn(bytes);
  return isObject(value) ? momentMs(value['occurred_at']) : null;
}

/** Times in milliseconds. */
interface LagInput {
  /** The time since the end of the feed was read with everything before it accepted; null if that never happened. */
  readonly sinceCurrentMs: number | null;
  /** The age of the first waiting event by the service's clock; else of the last accepted one. */
  readonly ageMs: number | null;
  /** How long the first waiting event has been at the front; null without one. */
  readonly waitedMs: number | null;
  /** How long the service has not answered. */
  readonly unansweredMs: number;
  /** The duration of the run. */
  readonly runMs: number;
}

/**
 * How far the run may be behind the newest event, which is known only at the end of the feed. `sinceCurrentMs` and `ageMs` are upper bounds: the
 * smaller one counts. `waitedMs` and `unansweredMs` are lower bounds, so that a wrong clock hides nothing.
 */
export function lagOf({ sinceCurrentMs, ageMs, waitedMs, unansweredMs, runMs }: LagInput): number {
  const bounds = [sinceCurrentMs, ageMs].filter((ms) => ms !== null);
  const upperBoundMs = bounds.length === 0 ? runMs : Math.min(...bounds);
  return Math.max(0, upperBoundMs, waitedMs ?? 0, unansweredMs);
}

export interface Clocks {
  /** Milliseconds on a clock that never goes back. */
  monotonic(): number;
  /** This machine's wall clock, in milliseconds since the epoch. */
  now(): number;
  /** The service's time, in milliseconds since the epoch. Ages of events are counted by it. */
  serviceNow(): number;
}

/** The state of the saved position. */
interface SavedFacts {
  /** How long an accepted event has been missing in the saved position; 0 if none is. */
  readonly ageMs: number;
  /** True if the last attempt to save failed. */
  readonly hasFailed: boolean;
  /** On this machine's wall clock; null if this run has not saved yet. */
  readonly savedAtMs: number | null;
}

/** Measures how long accepted events have been missing in the saved position. */
export class SavedPosition {
  readonly #clocks: Clocks;
  #unsavedSinceMs: number | null = null;
  /** Counts acceptances, because a save includes only what was accepted before it began. */
  #changes = 0;
  #hasFailed = false;
  #savedAtMs: number | null = null;
  #isUsed = false;
  /** How often reading has begun. A save that began before the last beginning does not count. */
  #readingCount = 0;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
  }

  /** Reading begins at the saved position, so events that were not saved come again. */
  begin(): void {
    this.#readingCount += 1;
    this.#unsavedSinceMs = null;
    this.#hasFailed = false;
  }

  onAccepted(): void {
    this.#changes += 1;
    this.#unsavedSinceMs ??= this.#clocks.monotonic();
  }

  /** A save begins. Call the returned function with its result. Several saves may be open, and end in their order. */
  beginSave(): (isSaved: boolean) => void {
    const beganMs = this.#clocks.monotonic();
    const [changesBefore, reading] = [this.#changes, this.#readingCount];
    this.#isUsed = true;
    return (isSaved) => {
      if (reading !== this.#readingCount) return;
      this.#hasFailed = !isSaved;
      if (!isSaved) return;
      this.#savedAtMs = this.#clocks.now();
      this.#unsavedSinceMs = this.#changes === changesBefore ? null : beganMs;
    };
  }

  /** The state of the saved position; null before the first save begins. */
  facts(): SavedFacts | null {
    if (!this.#isUsed) return null;
    return {
      ageMs: this.#unsavedSinceMs === null ? 0 : this.#clocks.monotonic() - this.#unsavedSinceMs,
      hasFailed: this.#hasFailed,
      savedAtMs: this.#savedAtMs,
    };
  }
}

export type Health = 'ok' | 'starting' | 'not_accepted' | 'unreachable' | 'checkpoint' | 'behind';

export interface HealthVerdict {
  readonly health: Health;
  /** A sentence for people. The only text of the service in it is the id of an event. */
  readonly why: string;
}

/** A run is healthy if its lag is below `maxLagMs` and its position is saved. Otherwise the verdict names the main cause. */
export function judge(facts: FollowerFacts, maxLagMs: number): HealthVerdict {
  const { hasBegun, lagMs, front, unansweredMs, checkpoint } = facts;
  const isMostly = (ms: number): boolean => ms * 2 >= lagMs;
  if (isUnsaved(checkpoint, maxLagMs))
    return { health: 'checkpoint', why: 'svc could not save its place in the events.' };
  if (hasBegun && lagMs < maxLagMs) return { health: 'ok', why: 'Every known event was accepted in time.' };
  if (unansweredMs >= maxLagMs || (hasBegun && unansweredMs > 0 && isMostly(unansweredMs))) {
    return {
      health: 'unreachable',
      why: `The service has not answered for ${duration(unansweredMs)}, so the newest event is unknown.`,
    };
  }
  if (!hasBegun) return { health: 'starting', why: 'svc has not read any events yet.' };
  if (front !== null && isMostly(front.waitedMs)) {
    return {
      health: 'not_accepted',
      why: `Event ${front.id} has not been accepted for ${duration(front.waitedMs)}, and all others wait behind it.`,
    };
  }
  return { health: 'behind', why: `svc is ${duration(lagMs)} behind the newest event.` };
}

/** True if accepted events are not saved: the last save failed, or it takes too long. */
export function isUnsaved(checkpoint: SavedFacts | null, maxLagMs: number): boolean {
  return checkpoint !== null && (checkpoint.hasFailed || checkpoint.ageMs >= maxLagMs);
}

/** A duration for people, in whole units. The unit is the largest that fits twice. */
export function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 120) return `${String(seconds)} s`;
  if (seconds < 2 * 3600) return `${String(Math.floor(seconds / 60))} min`;
  if (seconds < 2 * 86_400) return `${String(Math.floor(seconds / 3600))} h`;
  return `${String(Math.floor(seconds / 86_400))} d`;
}
