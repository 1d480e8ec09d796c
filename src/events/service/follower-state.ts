/** The state of a follower: what it has done so far, and what it waits for since when. Happenings go in, facts come out. */
import { jsonIn } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import { momentMs } from '../../contract/notation.js';
import { bytesOf, type FeedEvent, type Page, type Visit } from '../walk.js';

/** How a run stands at one moment. Times that end in `AtMs` are this machine's, since the epoch; null for never. */
export interface Facts {
  /** The first page is in hand, or was. */
  readonly hasBegun: boolean;
  readonly accepted: number;
  /** Attempts that ended without being accepted, */
  readonly refused: number;
  /** and those that were made again. */
  readonly retried: number;
  readonly lagMs: number;
  /** Events that were read and are not accepted: at least so many are missing. */
  readonly lagEvents: number;
  /** The event that everything waits for, and for how long. */
  readonly front: { readonly id: string; readonly waitedMs: number } | null;
  /** How long the service has been owing an answer. */
  readonly unansweredMs: number;
  readonly answeredAtMs: number | null;
  readonly acceptedAtMs: number | null;
  /** Null where no place is kept. */
  readonly checkpoint: SavedFacts | null;
}

interface At {
  readonly page: Page;
  readonly event: FeedEvent;
}

export class FollowerState {
  readonly #clocks: Clocks;
  readonly #startedMs: number;
  readonly #place: SavedPosition;
  readonly #counts = { accepted: 0, refused: 0, retried: 0 };
  readonly #at: { answered: number | null; accepted: number | null } = { answered: null, accepted: null };
  #askedMs: number | null = null;
  #answeredMs: number | null = null;
  /** When the end of the feed was answered, all before which is accepted. */
  #currentMs: number | null = null;
  #hasBegun = false;
  /** Events of pages that are not handed over yet. */
  #ahead = 0;
  #hand: { readonly page: Page; left: readonly FeedEvent[]; sinceMs: number } | null = null;
  #passed: At | null = null;

  constructor(clocks: Clocks, place: SavedPosition) {
    this.#clocks = clocks;
    this.#place = place;
    this.#startedMs = clocks.monotonic();
  }

  /** The feed is read on from what is saved: nothing is in hand, and nothing is asked for. */
  begins(): void {
    [this.#hand, this.#askedMs, this.#ahead] = [null, null, 0];
    this.#place.begins();
  }

  /** A page is asked for; asked again, it counts from the first time. */
  asked(): void {
    this.#askedMs ??= this.#clocks.monotonic();
  }

  answered(page: Page): void {
    this.#askedMs = null;
    this.#ahead += page.events.length;
    this.#answeredMs = this.#clocks.monotonic();
    this.#at.answered = this.#clocks.now();
  }

  /** A page is in hand; the next one is not answered yet. */
  took(): void {
    this.#hasBegun = true;
    this.#ahead = 0;
  }

  /** These events of it wait to be accepted. */
  holds(page: Page, events: readonly FeedEvent[]): void {
    this.#hand = { page, left: events, sinceMs: this.#clocks.monotonic() };
  }

  /** The next ones were accepted. */
  accepted(events: readonly FeedEvent[]): void {
    this.#counts.accepted += events.length;
    this.#at.accepted = this.#clocks.now();
    this.#place.changed();
    const event = events.at(-1);
    if (this.#hand === null || event === undefined) return;
    const { page, left } = this.#hand;
    this.#passed = { page, event };
    this.#hand = { page, left: left.slice(events.length), sinceMs: this.#clocks.monotonic() };
  }

  /** All of the page is behind; the end of the feed is answered last. */
  passed({ page, isEnd }: Pick<Visit, 'page' | 'isEnd'>): void {
    this.#hand = null;
    const event = page.events.at(-1);
    if (event !== undefined) this.#passed = { page, event };
    if (isEnd) this.#currentMs = this.#answeredMs;
  }

  /** An attempt to hand an event over has ended; the first of an event is number 1. */
  attempted(attempt: number, isAccepted: boolean): void {
    if (!isAccepted) this.#counts.refused += 1;
    if (attempt > 1) this.#counts.retried += 1;
  }

  facts(): Facts {
    const nowMs = this.#clocks.monotonic();
    const since = (ms: number | null): number | null => (ms === null ? null : nowMs - ms);
    const first = this.#front();
    const waitedMs = first === null ? null : since(this.#hand?.sinceMs ?? null);
    const unansweredMs = since(this.#askedMs) ?? 0;
    const bounds = { sinceCurrentMs: since(this.#currentMs), ageMs: this.#ageMs(), waitedMs, unansweredMs };
    return {
      ...{ hasBegun: this.#hasBegun, ...this.#counts, unansweredMs },
      lagMs: lagOf({ ...bounds, runMs: nowMs - this.#startedMs }),
      lagEvents: (this.#hand?.left.length ?? 0) + this.#ahead,
      front: first === null ? null : { id: first.event.id, waitedMs: waitedMs ?? 0 },
      answeredAtMs: this.#at.answered,
      acceptedAtMs: this.#at.accepted,
      checkpoint: this.#place.facts(),
    };
  }

  #front(): At | null {
    const [event] = this.#hand?.left ?? [];
    return this.#hand === null || event === undefined ? null : { page: this.#hand.page, event };
  }

  /** Of the event at the front, else of the last that was passed: only these are ever parsed. */
  #ageMs(): number | null {
    const at = this.#front() ?? this.#passed;
    const occurredMs = at === null ? null : occurredAt(bytesOf(at.page, at.event));
    return occurredMs === null ? null : this.#clocks.serviceNow() - occurredMs;
  }
}

/** Null for an event that does not say when it happened. */
function occurredAt(bytes: Uint8Array): number | null {
  const value = jsonIn(bytes);
  return isObject(value) ? momentMs(value['occurred_at']) : null;
}

/** All in milliseconds; null where there is nothing of the kind. */
interface LagInput {
  /** Since the end of the feed was read and all before it was accepted; null where that never was. */
  readonly sinceCurrentMs: number | null;
  /** By the service's clock, how long ago the first event that is not accepted happened; where none is in hand, the last that was passed. */
  readonly ageMs: number | null;
  /** How long the first event that is not accepted has been at the front. */
  readonly waitedMs: number | null;
  /** How long the service has been owing an answer. */
  readonly unansweredMs: number;
  /** Since the run began. */
  readonly runMs: number;
}

/**
 * The newest event is known only at the end of the feed. After that the run is behind by at most the time since then, and by at most the age of
 * its current event: the lower bound counts. A wrong clock hides nothing: an event that the run waits for is missing at least as long as the
 * wait.
 */
export function lagOf({ sinceCurrentMs, ageMs, waitedMs, unansweredMs, runMs }: LagInput): number {
  const bounds = [sinceCurrentMs, ageMs].filter((ms) => ms !== null);
  const atMost = bounds.length === 0 ? runMs : Math.min(...bounds);
  return Math.max(0, atMost, waitedMs ?? 0, unansweredMs);
}

/** What time it is, three ways. */
export interface Clocks {
  /** Milliseconds on a clock that never goes back. */
  monotonic(): number;
  /** This machine's wall clock, in milliseconds since the epoch. */
  now(): number;
  /** The service's time, in milliseconds since the epoch: by it ages of events are counted. */
  serviceNow(): number;
}

/** Whether the position in the feed is saved. */
interface SavedFacts {
  /** For how long something accepted has been missing; 0 for nothing. */
  readonly ageMs: number;
  /** The last attempt to save it failed. */
  readonly hasFailed: boolean;
  /** On this machine's wall clock; null where this run has not saved it yet. */
  readonly savedAtMs: number | null;
}

/** For how long something that was accepted has been missing in the saved position. */
export class SavedPosition {
  readonly #clocks: Clocks;
  #sinceMs: number | null = null;
  /** Counts what was accepted: a save holds what was accepted before it began. */
  #changes = 0;
  #hasFailed = false;
  #savedAtMs: number | null = null;
  #isUsed = false;
  /** Counts the readings: one that began again does not hear how the saves of the one before it ended. */
  #turn = 0;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
  }

  /** The feed is read again from the saved position: events that were not saved come again. */
  begins(): void {
    this.#turn += 1;
    this.#sinceMs = null;
    this.#hasFailed = false;
  }

  changed(): void {
    this.#changes += 1;
    this.#sinceMs ??= this.#clocks.monotonic();
  }

  /** It is being saved; the function that comes back takes how that ended. Several may be under way, which end in their order. */
  saving(): (isSaved: boolean) => void {
    const beganMs = this.#clocks.monotonic();
    const [before, turn] = [this.#changes, this.#turn];
    this.#isUsed = true;
    return (isSaved) => {
      if (turn !== this.#turn) return;
      this.#hasFailed = !isSaved;
      if (!isSaved) return;
      this.#savedAtMs = this.#clocks.now();
      this.#sinceMs = this.#changes === before ? null : beganMs;
    };
  }

  /** Null where nobody keeps the place. */
  facts(): SavedFacts | null {
    if (!this.#isUsed) return null;
    return {
      ageMs: this.#sinceMs === null ? 0 : this.#clocks.monotonic() - this.#sinceMs,
      hasFailed: this.#hasFailed,
      savedAtMs: this.#savedAtMs,
    };
  }
}

export type Health = 'ok' | 'starting' | 'not_accepted' | 'unreachable' | 'checkpoint' | 'behind';

export interface HealthVerdict {
  readonly health: Health;
  /** A sentence without anything that came from the service but the id of an event. */
  readonly why: string;
}

/** Well is who accepted everything that is known, up to less than `maxLagMs` ago. What else is wrong says what that comes from. */
export function judge(facts: Facts, maxLagMs: number): HealthVerdict {
  const { hasBegun, lagMs, front, unansweredMs, checkpoint } = facts;
  const isMostly = (ms: number): boolean => ms * 2 >= lagMs;
  if (isUnsaved(checkpoint, maxLagMs))
    return { health: 'checkpoint', why: 'svc could not save its place in the events.' };
  if (hasBegun && lagMs < maxLagMs) return { health: 'ok', why: 'Every known event was accepted in time.' };
  if (unansweredMs >= maxLagMs || (hasBegun && unansweredMs > 0 && isMostly(unansweredMs))) {
    return {
      health: 'unreachable',
      why: `The service has not answered for ${words(unansweredMs)}, so the newest event is unknown.`,
    };
  }
  if (!hasBegun) return { health: 'starting', why: 'svc has not read any events yet.' };
  if (front !== null && isMostly(front.waitedMs)) {
    return {
      health: 'not_accepted',
      why: `Event ${front.id} has not been accepted for ${words(front.waitedMs)}, and all others wait behind it.`,
    };
  }
  return { health: 'behind', why: `svc is ${words(lagMs)} behind the newest event.` };
}

/** What was accepted is not kept: it failed, or it takes too long. */
export function isUnsaved(checkpoint: SavedFacts | null, maxLagMs: number): boolean {
  return checkpoint !== null && (checkpoint.hasFailed || checkpoint.ageMs >= maxLagMs);
}

/** A duration as people read it: whole units, the largest that fits twice. */
export function words(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 120) return `${String(seconds)} s`;
  if (seconds < 2 * 3600) return `${String(Math.floor(seconds / 60))} min`;
  if (seconds < 2 * 86_400) return `${String(Math.floor(seconds / 3600))} h`;
  return `${String(Math.floor(seconds / 86_400))} d`;
}
