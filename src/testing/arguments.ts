/** What a test passed to a method of the kit: refused at once, by what the method takes, where it is something else. */
import { durationMs } from '../cli/line/moment.js';
import { EVENT_TYPES } from '../contract/events.js';
import type { SandboxEventType } from './types.js';

/** @throws TypeError for what is no object, or has another member */
export function refuseOthers(method: string, given: unknown, names: readonly string[]): void {
  const there = `there are ${names.join(', ')}`;
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`${method}() takes an object, and not ${inWords(given)}: ${there}`);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new TypeError(`${method}() has no option ${unknown}: ${there}`);
}

/** @throws TypeError */
export function refuseOtherType(method: string, type: unknown): asserts type is SandboxEventType | undefined {
  if (type === undefined || EVENT_TYPES.some((known) => known === type)) return;
  throw new TypeError(
    `${method}() can't wait for ${inWords(type)}: no event has that type. There are ${EVENT_TYPES.join(', ')}`,
  );
}

/** @throws TypeError */
export function idIn(method: string, what: string, id: unknown): string {
  if (typeof id === 'string') return id;
  throw new TypeError(`${method}() takes the id of ${what}, and not ${inWords(id)}`);
}

/** @throws TypeError */
export function secondsIn(duration: unknown): number {
  try {
    if (typeof duration === 'string') return durationMs(duration, '') / 1000;
  } catch {
    // Said below, as what the method takes.
  }
  throw new TypeError(
    `advance() takes a duration, for example 30s, 5m, 48h or 2d, at most 366d, and not ${inWords(duration)}`,
  );
}

const PATIENCE_MAX_MS = 2 ** 31 - 1;

/** @throws TypeError */
export function patienceIn(method: string, timeoutMs: unknown): number {
  const isWait = typeof timeoutMs === 'number' && timeoutMs >= 0 && timeoutMs <= PATIENCE_MAX_MS;
  if (isWait) return timeoutMs;
  throw new TypeError(
    `${method}() takes timeoutMs in milliseconds, for example 5000, and not ${inWords(timeoutMs)}`,
  );
}

/** A value in a message. */
export function inWords(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'symbol')
    return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    return 'an object';
  }
}
