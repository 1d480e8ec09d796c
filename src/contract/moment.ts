import { KEY_SAFE_MS, SERVICE_CLOCKS_MS } from './limits.js';
import { momentText } from './notation.js';

export interface MachineTime {
  readonly wallMs: number;
  readonly bootId: string;
  readonly bootMs: number;
}

export interface Moment extends MachineTime {
  readonly serviceMs: number | null;
  readonly sharedMs?: number | undefined;
}

export interface TimeAnchor extends Pick<MachineTime, 'bootId' | 'bootMs'> {
  readonly serviceMs: number;
}

export type ClockName = 'service' | 'machine' | 'boot' | 'database';

/** `boot` counts milliseconds since the boot, the other clocks since the epoch. */
export interface ClockReading {
  readonly clock: ClockName;
  readonly thenMs: number;
  readonly nowMs: number;
}

export type Age =
  | { readonly kind: 'known'; readonly ms: number }
  | { readonly kind: 'time_unknown' }
  | { readonly kind: 'clocks_disagree'; readonly back: ClockReading; readonly ahead: ClockReading };

/** The largest age by any clock counts, because the clocks of this machine may be wrong. */
export function ageOf(then: Moment, now: Moment): Age {
  if (then.serviceMs === null || now.serviceMs === null) return { kind: 'time_unknown' };
  const readings = readingsOf(then, now).sort((a, b) => elapsedMs(a) - elapsedMs(b));
  const [back, ahead] = [readings.at(0), readings.at(-1)];
  if (back === undefined || ahead === undefined || !readings.every((one) => Number.isFinite(elapsedMs(one))))
    return { kind: 'time_unknown' };
  if (elapsedMs(back) >= -SERVICE_CLOCKS_MS) return { kind: 'known', ms: elapsedMs(ahead) };
  const service = readings.find(({ clock }) => clock === 'service');
  return { kind: 'clocks_disagree', back, ahead: back === service ? ahead : (service ?? ahead) };
}

export function maxElapsedMs(then: Moment, now: Moment): number {
  return Math.max(...readingsOf(then, now).map(elapsedMs));
}

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

export function maySendAgain(age: Age): boolean {
  return age.kind === 'known' && age.ms <= KEY_SAFE_MS;
}

export function serviceTimeOf(anchor: TimeAnchor | null, now: MachineTime): number | null {
  if (anchor === null || anchor.bootId === '' || anchor.bootId !== now.bootId) return null;
  const passedMs = now.bootMs - anchor.bootMs;
  return passedMs < 0 ? null : anchor.serviceMs + passedMs;
}

function elapsedMs({ thenMs, nowMs }: ClockReading): number {
  return nowMs - thenMs;
}

export type UnsureAge = Exclude<Age, { readonly kind: 'known' }>;

const MOMENT_MAX_MS = 8.64e15;

const CLOCK_TEXTS: Readonly<Record<ClockName, string>> = {
  service: "the service's time",
  machine: 'the clock of this machine',
  boot: 'what this machine has counted since its boot',
  database: 'the clock of the database',
};

export function unsureText(age: UnsureAge): string {
  if (age.kind === 'time_unknown')
    return "The service's time is not known, so nobody knows how long ago this left.";
  const { back, ahead } = age;
  return `The clocks disagree on how long ago this left: ${readingText(back)}, and ${readingText(ahead)}. Correct the clock that is wrong.`;
}

export function unsureMembers(age: UnsureAge): readonly ReturnType<typeof clockMembers>[] {
  return age.kind === 'time_unknown' ? [] : [clockMembers(age.back), clockMembers(age.ahead)];
}

function clockMembers({ clock, thenMs, nowMs }: ClockReading) {
  return { clock, then: readingValue(clock, thenMs), now: readingValue(clock, nowMs) };
}

function readingText({ clock, thenMs, nowMs }: ClockReading): string {
  const unit = clock === 'boot' ? ' s' : '';
  return `${CLOCK_TEXTS[clock]} was ${readingValue(clock, thenMs)}${unit} then and is ${readingValue(clock, nowMs)}${unit} now`;
}

function readingValue(clock: ClockName, ms: number): string | number {
  if (!(Math.abs(ms) <= MOMENT_MAX_MS)) return String(ms);
  return clock === 'boot' ? Math.round(ms / 1000) : momentText(Math.floor(ms / 1000) * 1000);
}
