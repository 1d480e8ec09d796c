/** `upToMs` is the latest time of all events before `cursor`, or 0 if there are none. */
export interface ReadingStep {
  readonly cursor: string;
  readonly upToMs: number;
  readonly last?: string | null | undefined;
}

export interface Reading {
  /** Changes when a mirror is reset, so that a process with an older reading cannot write. */
  readonly epoch: string;
  readonly from: ReadingStep | null;
  readonly trail: readonly ReadingStep[];
  readonly newestMs: number | null;
  readonly begunAtMs: number | null;
  readonly cursor: string | null;
  readonly last?: ReadingStep['last'];
  readonly isUnfinished: boolean;
}

export interface Pass {
  readonly from: ReadingStep | null;
  readonly isLoose: boolean;
}

/** An event may appear in the feed this long after it occurred. */
export const LATE_MS = 48 * 3_600_000;

const STEP_MS = 3_600_000;
const STEPS_MAX = 128;

export function emptyReading(epoch: string): Reading {
  const startFacts = { from: null, trail: [], newestMs: null, begunAtMs: null, cursor: null };
  return { epoch, ...startFacts, isUnfinished: true };
}

export function nextPass(reading: Reading): Pass {
  const { from, cursor, last, newestMs, begunAtMs, isUnfinished } = reading;
  if (!isUnfinished || cursor === null || cursor === from?.cursor) return { from, isLoose: false };
  // If the newest event is older than `LATE_MS`, no more events will appear before `cursor`.
  const isOld = begunAtMs !== null && newestMs !== null && newestMs <= begunAtMs - LATE_MS;
  return { from: { cursor, upToMs: newestMs ?? 0, last }, isLoose: !isOld };
}

export function beginReading(reading: Reading, pass: Pass, begunAtMs: number | null): Reading {
  if (pass.isLoose) return reading;
  return { ...reading, from: pass.from, trail: [], newestMs: pass.from?.upToMs ?? null, begunAtMs };
}

export function advance(
  reading: Reading,
  { isLoose }: Pass,
  { next, last }: { readonly next: string | null; readonly last?: ReadingStep['last'] },
  latestMs: number | null,
): Reading {
  if (isLoose) return { ...reading, cursor: next, last };
  const newestMs = latestMs === null ? reading.newestMs : Math.max(latestMs, reading.newestMs ?? 0);
  const previousCursor = reading.trail.at(-1)?.cursor ?? reading.from?.cursor ?? null;
  const hasMoved = next !== null && next !== previousCursor;
  const trail = hasMoved ? appendStep(reading, { cursor: next, upToMs: newestMs ?? 0 }) : reading.trail;
  return moveFrom({ ...reading, newestMs, cursor: next, last, trail });
}

export function finish(reading: Reading): Reading {
  return { ...reading, isUnfinished: false };
}

function appendStep({ from, trail }: Reading, step: ReadingStep): readonly ReadingStep[] {
  const [last, previous] = [trail.at(-1), trail.at(-2) ?? from];
  const isClose = last !== undefined && previous !== null && last.upToMs - previous.upToMs < STEP_MS;
  const steps = isClose ? trail.slice(0, -1) : trail;
  return [...(steps.length < STEPS_MAX ? steps : steps.filter((_, at) => at % 2 === 1)), step];
}

function moveFrom(reading: Reading): Reading {
  const { trail, newestMs, begunAtMs } = reading;
  const oldMs = newestMs === null ? -Infinity : Math.min(newestMs, begunAtMs ?? Infinity) - LATE_MS;
  const oldIndex = trail.findLastIndex(({ upToMs }) => upToMs <= oldMs);
  return { ...reading, from: trail[oldIndex] ?? reading.from, trail: trail.slice(oldIndex + 1) };
}
