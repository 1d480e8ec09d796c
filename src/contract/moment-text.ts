/** In words why nobody knows how long ago something left, with what the clocks say. Pure. */
import type { Age, ClockName, ClockReading } from './moment.js';
import { momentText } from './notation.js';

/** An age that nobody knows. */
export type UnsureAge = Exclude<Age, { readonly kind: 'known' }>;

/** The last moment that has a text. */
const MOMENT_MAX_MS = 8.64e15;

const CLOCKS: Readonly<Record<ClockName, string>> = {
  service: "the service's time",
  machine: 'the clock of this machine',
  boot: 'what this machine has counted since its boot',
  database: 'the clock of the database',
};

/** One sentence. */
export function unsureText(age: UnsureAge): string {
  if (age.kind === 'time_unknown')
    return "The service's time is not known, so nobody knows how long ago this left.";
  const { back, ahead } = age;
  return `The clocks disagree on how long ago this left: ${readingText(back)}, and ${readingText(ahead)}. Correct the clock that is wrong.`;
}

/** The same for a script; nothing where there is nothing to compare. */
export function unsureMembers(age: UnsureAge): readonly ClockMembers[] {
  return age.kind === 'time_unknown' ? [] : [membersOf(age.back), membersOf(age.ahead)];
}

/** One clock, then and now: as moments of ISO 8601, or in seconds since the boot. */
export interface ClockMembers {
  readonly clock: ClockName;
  readonly then: string | number;
  readonly now: string | number;
}

function membersOf({ clock, thenMs, nowMs }: ClockReading): ClockMembers {
  return { clock, then: shown(clock, thenMs), now: shown(clock, nowMs) };
}

function readingText({ clock, thenMs, nowMs }: ClockReading): string {
  const unit = clock === 'boot' ? ' s' : '';
  return `${CLOCKS[clock]} was ${shown(clock, thenMs)}${unit} then and is ${shown(clock, nowMs)}${unit} now`;
}

function shown(clock: ClockName, ms: number): string | number {
  // What is no moment is shown as it is: a store may be damaged.
  if (!(Math.abs(ms) <= MOMENT_MAX_MS)) return String(ms);
  return clock === 'boot' ? Math.round(ms / 1000) : momentText(Math.floor(ms / 1000) * 1000);
}
