import { durationMs } from '../../runtime/typed-time.js';
import { EVENT_TYPES } from '../../contract/events.js';
import type { SandboxEventType } from './types.js';

export function checkOptions(method: string, options: unknown, names: readonly string[]): void {
  const namesText = `there are ${names.join(', ')}`;
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`${method}() takes an object, and not ${quote(options)}: ${namesText}`);
  const wrongName = Object.keys(options).find((name) => !names.includes(name));
  if (wrongName !== undefined) throw new TypeError(`${method}() has no option ${wrongName}: ${namesText}`);
}

export function checkType(method: string, type: unknown): asserts type is SandboxEventType | undefined {
  if (type === undefined || EVENT_TYPES.some((one) => one === type)) return;
  throw new TypeError(
    `${method}() can't wait for ${quote(type)}: no event has that type. There are ${EVENT_TYPES.join(', ')}`,
  );
}

export class UnmetError extends Error {}

export function checkId(method: string, what: string, id: unknown): string {
  if (typeof id === 'string') return id;
  throw new TypeError(`${method}() takes the id of ${what}, and not ${quote(id)}`);
}

export function parseSeconds(duration: unknown): number {
  try {
    if (typeof duration === 'string') return durationMs(duration, '') / 1000;
  } catch {
    // A text that is no duration gets the error below.
  }
  throw new TypeError(
    `advance() takes a duration, for example 30s, 5m, 48h or 2d, at most 366d, and not ${quote(duration)}`,
  );
}

const TIMEOUT_MAX_MS = 2 ** 31 - 1;

export function checkTimeout(method: string, timeoutMs: unknown): number {
  if (typeof timeoutMs === 'number' && timeoutMs >= 0 && timeoutMs <= TIMEOUT_MAX_MS) return timeoutMs;
  throw new TypeError(
    `${method}() takes timeoutMs in milliseconds, for example 5000, and not ${quote(timeoutMs)}`,
  );
}

export function quote(value: unknown): string {
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
