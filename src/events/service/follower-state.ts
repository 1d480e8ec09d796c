import { jsonIn } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import { momentMs } from '../../contract/notation.js';
import { bytesOf, type FeedEvent, type Page, type Visit } from '../../feed/walk.js';

export type FollowerFacts = Readonly<ReturnType<FollowerState['facts']>>;

type LocatedEvent = Readonly<{ page: Page; event: FeedEvent }>;

export class FollowerState {
  readonly #startedMs: number;
  readonly #counts = { accepted: 0, refused: 0, retried: 0 };
  #answeredAtMs: number | null = null;
  #acceptedAtMs: number | null = null;
  #askedMs: number | null = null;
  #answeredMs: number | null = null;
  #caughtUpMs: number | null = null;
  #hasBegun = false;
  #readAhead = 0;
  #pageInHand: { readonly page: Page; waiting: readonly FeedEvent[]; sinceMs: number } | null = null;
  #lastAccepted: LocatedEvent | null = null;

  constructor(
    private readonly clocks: Clocks,
    private readonly savedPosition: SavedPosition,
  ) {
    this.#startedMs = clocks.monotonic();
  }

  begin(): void {
    [this.#pageInHand, this.#askedMs, this.#readAhead] = [null, null, 0];
    this.savedPosition.begin();
  }

  onRequest(): void {
    this.#askedMs ??= this.clocks.monotonic();
  }

  onPage(page: Page): void {
    this.#askedMs = null;
    this.#readAhead += page.events.length;
    this.#answeredMs = this.clocks.monotonic();
    this.#answeredAtMs = this.clocks.now();
  }

  onPageTaken(): void {
    this.#hasBegun = true;
    this.#readAhead = 0;
  }

  onWaiting(page: Page, events: readonly FeedEvent[]): void {
    this.#pageInHand = { page, waiting: events, sinceMs: this.clocks.monotonic() };
  }

  onAccepted(events: readonly FeedEvent[]): void {
    this.#counts.accepted += events.length;
    this.#acceptedAtMs = this.clocks.now();
    this.savedPosition.onAccepted();
    const event = events.at(-1);
    if (this.#pageInHand === null || event === undefined) return;
    const { page, waiting } = this.#pageInHand;
    this.#lastAccepted = { page, event };
    this.#pageInHand = { page, waiting: waiting.slice(events.length), sinceMs: this.clocks.monotonic() };
  }

  onPassed({ page, isEnd }: Pick<Visit, 'page' | 'isEnd'>): void {
    this.#pageInHand = null;
    const event = page.events.at(-1);
    if (event !== undefined) this.#lastAccepted = { page, event };
    if (isEnd) this.#caughtUpMs = this.#answeredMs;
  }

  onAttempt(attempt: number, isAccepted: boolean): void {
    if (!isAccepted) this.#counts.refused += 1;
    if (attempt > 1) this.#counts.retried += 1;
  }

  facts() {
    const nowMs = this.clocks.monotonic();
    const since = (ms: number | null): number | null => (ms === null ? null : nowMs - ms);
    const firstWaiting = this.#firstWaiting();
    const waitedMs = firstWaiting === null ? null : since(this.#pageInHand?.sinceMs ?? null);
    const unansweredMs = since(this.#askedMs) ?? 0;
    const spans = { caughtUpAgoMs: since(this.#caughtUpMs), ageMs: this.#ageMs(), waitedMs, unansweredMs };
    return {
      ...{ hasBegun: this.#hasBegun, ...this.#counts, unansweredMs },
      lagMs: lagOf({ ...spans, runMs: nowMs - this.#startedMs }),
      lagEvents: (this.#pageInHand?.waiting.length ?? 0) + this.#readAhead,
      firstWaiting: firstWaiting === null ? null : { id: firstWaiting.event.id, waitedMs: waitedMs ?? 0 },
      answeredAtMs: this.#answeredAtMs,
      acceptedAtMs: this.#acceptedAtMs,
      checkpoint: this.savedPosition.facts(),
    };
  }

  #firstWaiting(): LocatedEvent | null {
    const [event] = this.#pageInHand?.waiting ?? [];
    return this.#pageInHand === null || event === undefined ? null : { page: this.#pageInHand.page, event };
  }

  #ageMs(): number | null {
    const located = this.#firstWaiting() ?? this.#lastAccepted;
    const occurredMs = located === null ? null : occurredAt(bytesOf(located.page, located.event));
    return occurredMs === null ? null : this.clocks.serviceNow() - occurredMs;
  }
}

function occurredAt(bytes: Uint8Array): number | null {
  const value = jsonIn(bytes);
  return isObject(value) ? momentMs(value['occurred_at']) : null;
}

type LagInput = Readonly<Record<'caughtUpAgoMs' | 'ageMs' | 'waitedMs', number | null>> &
  Readonly<Record<'unansweredMs' | 'runMs', number>>;

export function lagOf({ caughtUpAgoMs, ageMs, waitedMs, unansweredMs, runMs }: LagInput): number {
  const bounds = [caughtUpAgoMs, ageMs].filter((ms) => ms !== null);
  const upperBoundMs = bounds.length === 0 ? runMs : Math.min(...bounds);
  return Math.max(0, upperBoundMs, waitedMs ?? 0, unansweredMs);
}

type Clocks = Readonly<Record<'monotonic' | 'now' | 'serviceNow', () => number>>;

export class SavedPosition {
  #unsavedSinceMs: number | null = null;
  #acceptances = 0;
  #hasFailed = false;
  #savedAtMs: number | null = null;
  #isUsed = false;
  #readingCount = 0;

  constructor(private readonly clocks: Clocks) {}

  begin(): void {
    this.#readingCount += 1;
    this.#unsavedSinceMs = null;
    this.#hasFailed = false;
  }

  onAccepted(): void {
    this.#acceptances += 1;
    this.#unsavedSinceMs ??= this.clocks.monotonic();
  }

  beginSave(): (isSaved: boolean) => void {
    const beganMs = this.clocks.monotonic();
    const [acceptancesBefore, reading] = [this.#acceptances, this.#readingCount];
    this.#isUsed = true;
    return (isSaved) => {
      if (reading !== this.#readingCount) return;
      this.#hasFailed = !isSaved;
      if (!isSaved) return;
      this.#savedAtMs = this.clocks.now();
      this.#unsavedSinceMs = this.#acceptances === acceptancesBefore ? null : beganMs;
    };
  }

  facts() {
    if (!this.#isUsed) return null;
    return {
      ageMs: this.#unsavedSinceMs === null ? 0 : this.clocks.monotonic() - this.#unsavedSinceMs,
      hasFailed: this.#hasFailed,
      savedAtMs: this.#savedAtMs,
    };
  }
}

export type Health = 'ok' | 'starting' | 'not_accepted' | 'unreachable' | 'checkpoint' | 'behind';

export interface HealthVerdict {
  readonly health: Health;
  readonly why: string;
}

export function judge(facts: FollowerFacts, maxLagMs: number): HealthVerdict {
  const { hasBegun, lagMs, firstWaiting, unansweredMs, checkpoint } = facts;
  const isMostOfLag = (ms: number): boolean => ms * 2 >= lagMs;
  if (isUnsaved(checkpoint, maxLagMs))
    return { health: 'checkpoint', why: 'svc could not save its place in the events.' };
  if (hasBegun && lagMs < maxLagMs) return { health: 'ok', why: 'Every known event was accepted in time.' };
  if (unansweredMs >= maxLagMs || (hasBegun && unansweredMs > 0 && isMostOfLag(unansweredMs))) {
    return {
      health: 'unreachable',
      why: `The service has not answered for ${duration(unansweredMs)}, so the newest event is unknown.`,
    };
  }
  if (!hasBegun) return { health: 'starting', why: 'svc has not read any events yet.' };
  if (firstWaiting !== null && isMostOfLag(firstWaiting.waitedMs)) {
    return {
      health: 'not_accepted',
      why: `Event ${firstWaiting.id} has not been accepted for ${duration(firstWaiting.waitedMs)}, and all others wait behind it.`,
    };
  }
  return { health: 'behind', why: `svc is ${duration(lagMs)} behind the newest event.` };
}

export function isUnsaved(checkpoint: FollowerFacts['checkpoint'], maxLagMs: number): boolean {
  return checkpoint !== null && (checkpoint.hasFailed || checkpoint.ageMs >= maxLagMs);
}

export function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 120) return `${String(seconds)} s`;
  if (seconds < 2 * 3600) return `${String(Math.floor(seconds / 60))} min`;
  if (seconds < 2 * 86_400) return `${String(Math.floor(seconds / 3600))} h`;
  return `${String(Math.floor(seconds / 86_400))} d`;
}
