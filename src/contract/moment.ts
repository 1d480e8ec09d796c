/** A moment as every clock had it that was there, and how long ago one was: what decides whether the same bytes may leave again. Pure. */
import { KEY_SAFE_MS, SERVICE_CLOCKS_MS } from './limits.js';
import { momentText } from './notation.js';

/** What this machine's clocks say: its wall clock, and the one that counts from its boot and goes on while it sleeps. */
export interface MachineTime {
  readonly wallMs: number;
  /** Names the boot of this machine; empty where nobody knows it: then nothing is counted from it. */
  readonly bootId: string;
  /** Since that boot, sleep included. */
  readonly bootMs: number;
}

/** A moment as it is kept. All in milliseconds. */
export interface Moment extends MachineTime {
  /** The service's time; null where none that can be believed was known of this boot. */
  readonly serviceMs: number | null;
  /** The time of the database that machines share; undefined without one. */
  readonly sharedMs?: number | undefined;
}

/** The service's time that was heard last, and when that was. */
export interface TimeAnchor extends Pick<MachineTime, 'bootId' | 'bootMs'> {
  readonly serviceMs: number;
}

/** A clock that may disagree with the others. */
export type ClockName = 'service' | 'machine' | 'boot' | 'database';

/** One clock, then and now, in milliseconds: of `boot` since the boot, of the others since the epoch. */
export interface ClockReading {
  readonly clock: ClockName;
  readonly thenMs: number;
  readonly nowMs: number;
}

export type Age =
  | { readonly kind: 'known'; readonly ms: number }
  /** The service's time is missing at one end. */
  | { readonly kind: 'time_unknown' }
  /** The first clock has gone back since then; the second is the service's, unless that is the first: then it is the one that says most. */
  | { readonly kind: 'clocks_disagree'; readonly back: ClockReading; readonly ahead: ClockReading };

/**
 * How long ago that was: the most that any clock says. The service's time is needed at both ends, and what this machine's clocks say only ever
 * makes something older: one that was frozen, or whose clock was set, has both wrong.
 */
export function ageOf(then: Moment, now: Moment): Age {
  if (then.serviceMs === null || now.serviceMs === null) return { kind: 'time_unknown' };
  const readings = readingsOf(then, now).sort((a, b) => passedMs(a) - passedMs(b));
  const [back, ahead] = [readings.at(0), readings.at(-1)];
  // What is no number says nothing, wherever it came from.
  if (back === undefined || ahead === undefined || !readings.every((one) => Number.isFinite(passedMs(one))))
    return { kind: 'time_unknown' };
  if (passedMs(back) >= -SERVICE_CLOCKS_MS) return { kind: 'known', ms: passedMs(ahead) };
  const service = readings.find(({ clock }) => clock === 'service');
  return { kind: 'clocks_disagree', back, ahead: back === service ? ahead : (service ?? ahead) };
}

/** The most that has passed since then by any clock, in milliseconds; what went back counts for nothing. For one process, which was there then. */
export function mostMs(then: Moment, now: Moment): number {
  return Math.max(...readingsOf(then, now).map(passedMs));
}

/** The clocks that say something of both ends. Of another machine that shares the state, the clock of their database stands for its own. */
function readingsOf(then: Moment, now: Moment): ClockReading[] {
  const isSameBoot = then.bootId !== '' && then.bootId === now.bootId;
  const readings: ClockReading[] = [];
  const add = (clock: ClockName, thenMs: number, nowMs: number): void => {
    readings.push({ clock, thenMs, nowMs });
  };
  if (then.sharedMs !== undefined && now.sharedMs !== undefined) add('database', then.sharedMs, now.sharedMs);
  else if (!isSameBoot) add('machine', then.wallMs, now.wallMs);
  if (isSameBoot) {
    add('boot', then.bootMs, now.bootMs);
    add('machine', then.wallMs, now.wallMs);
  }
  if (then.serviceMs !== null && now.serviceMs !== null) add('service', then.serviceMs, now.serviceMs);
  return readings;
}

/** True where the same bytes may leave again with the same key: it is known that they first left no more than 23 hours ago. */
export function mayLeaveAgain(age: Age): boolean {
  return age.kind === 'known' && age.ms <= KEY_SAFE_MS;
}

/** The service's time by what was heard in this boot and what has passed since; null where the anchor is of another one, or there is none. */
export function serviceTimeOf(anchor: TimeAnchor | null, now: MachineTime): number | null {
  if (anchor === null || anchor.bootId === '' || anchor.bootId !== now.bootId) return null;
  const sinceMs = now.bootMs - anchor.bootMs;
  return sinceMs < 0 ? null : anchor.serviceMs + sinceMs;
}

function passedMs({ thenMs, nowMs }: ClockReading): number {
  return nowMs - thenMs;
}

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
interface ClockMembers {
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
