/**
 * How far a mirror has read the feed, and where it reads on: never less than 48 hours behind the newest event, because an event may
 * show late. Pure; times are the service's own.
 */

/** A cursor, and the latest time among all events before it; 0 where none was read. */
export interface ReadingStep {
  readonly cursor: string;
  readonly upToMs: number;
  /** The event right before the cursor, as far as it is known. */
  readonly last?: string | null | undefined;
}

export interface Reading {
  /** Changes when a mirror is reset: what another process still reads for the old one must not get into the new one. */
  readonly epoch: string;
  /** Nothing will show before it any more: the next pass begins here. Null: at the start of the feed. */
  readonly from: ReadingStep | null;
  /** Cursors behind `from`, in the order of the feed. */
  readonly trail: readonly ReadingStep[];
  /** The latest time among the events of the pass that made the trail; null before the first. */
  readonly newestMs: number | null;
  /** What time it was for the service when that pass began; null where it did not say. */
  readonly begunAtMs: number | null;
  /** The last cursor that was read up to, in any pass. */
  readonly cursor: string | null;
  /** The event right before that cursor. */
  readonly last?: ReadingStep['last'];
  /** The end of the feed was never seen. */
  readonly isUnfinished: boolean;
}

/** A reading of the feed from one position to its end. */
export interface Pass {
  readonly from: ReadingStep | null;
  /**
   * It goes on where an unfinished reading stopped, and misses events that showed late before that position: another pass from
   * `Reading.from` must follow.
   */
  readonly isLoose: boolean;
}

/** How late an event may show. */
export const LATE_MS = 48 * 3_600_000;

/** Steps that are closer would only say more exactly where 48 hours ago was. */
const STEP_MS = 3_600_000;
/** There are this many where the service's times make no sense; and then it is only read more than once. */
const STEPS_MAX = 128;

export function unread(epoch: string): Reading {
  const nothing = { from: null, trail: [], newestMs: null, begunAtMs: null, cursor: null };
  return { epoch, ...nothing, isUnfinished: true };
}

/** The pass that has to come next. */
export function nextPass(reading: Reading): Pass {
  const { from, cursor, last, newestMs, begunAtMs, isUnfinished } = reading;
  if (!isUnfinished || cursor === null || cursor === from?.cursor) return { from, isLoose: false };
  // Read when all of it was older than an event may be late: then nothing will show before that place any more.
  const isOld = begunAtMs !== null && newestMs !== null && newestMs <= begunAtMs - LATE_MS;
  return { from: { cursor, upToMs: newestMs ?? 0, last }, isLoose: !isOld };
}

/** The reading at the beginning of a pass. @param begunAtMs the service's time by its first answer; null where it did not say */
export function beginReading(reading: Reading, pass: Pass, begunAtMs: number | null): Reading {
  if (pass.isLoose) return reading;
  return { ...reading, from: pass.from, trail: [], newestMs: pass.from?.upToMs ?? null, begunAtMs };
}

/**
 * The reading behind a page.
 * @param behind the cursor behind it, and the event right before that
 * @param latestMs the latest time among its events; null where it has none
 */
export function advance(
  reading: Reading,
  { isLoose }: Pass,
  { next, last }: { readonly next: string | null; readonly last?: ReadingStep['last'] },
  latestMs: number | null,
): Reading {
  if (isLoose) return { ...reading, cursor: next, last };
  const newestMs = latestMs === null ? reading.newestMs : Math.max(latestMs, reading.newestMs ?? 0);
  const before = reading.trail.at(-1)?.cursor ?? reading.from?.cursor ?? null;
  const hasMoved = next !== null && next !== before;
  const trail = hasMoved ? extended(reading, { cursor: next, upToMs: newestMs ?? 0 }) : reading.trail;
  return shortened({ ...reading, newestMs, cursor: next, last, trail });
}

/** The end of the feed was seen. */
export function finish(reading: Reading): Reading {
  return { ...reading, isUnfinished: false };
}

/** The last step stays only where it is far enough from the one before it. */
function extended({ from, trail }: Reading, step: ReadingStep): readonly ReadingStep[] {
  const [last, before] = [trail.at(-1), trail.at(-2) ?? from];
  const isClose = last !== undefined && before !== null && last.upToMs - before.upToMs < STEP_MS;
  const kept = isClose ? trail.slice(0, -1) : trail;
  return [...(kept.length < STEPS_MAX ? kept : kept.filter((_, at) => at % 2 === 1)), step];
}

/** Moves `from` to the last cursor that is old enough: by the events' own time, and by the time at which the pass began. */
function shortened(reading: Reading): Reading {
  const { trail, newestMs, begunAtMs } = reading;
  const oldMs = newestMs === null ? -Infinity : Math.min(newestMs, begunAtMs ?? Infinity) - LATE_MS;
  const old = trail.findLastIndex(({ upToMs }) => upToMs <= oldMs);
  return { ...reading, from: trail[old] ?? reading.from, trail: trail.slice(old + 1) };
}
