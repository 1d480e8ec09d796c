import { clockMoveText, type ClockMove } from '../control/clock-move.js';
import { counted, groupDigits } from '../../contract/on-screen.js';
import type { Operation } from '../../contract/operation-members.js';

export const ZONES = ['local', 'UTC'] as const;
export type PageZone = (typeof ZONES)[number];

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** For example `22 Nov 12:04:05`. */
export function shortTime(iso: string, zone: PageZone, localOffset = offsetHere): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return iso;
  const offset = zone === 'UTC' ? 0 : localOffset(ms);
  const zonedIso = new Date(ms + offset * 60_000).toISOString();
  const [, month, day, time] = /^\d{4}-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)/.exec(zonedIso) ?? [];
  const name = MONTHS[Number(month) - 1];
  return name === undefined || time === undefined ? iso : `${String(Number(day))} ${name} ${time}`;
}

export function zoneLabel(ms: number, zone: PageZone, localOffset = offsetHere): string {
  const minutes = zone === 'UTC' ? 0 : localOffset(ms);
  if (minutes === 0) return 'UTC';
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? '-' : '+'}${String(hours)}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
}

const offsetHere = (ms: number): number => -new Date(ms).getTimezoneOffset();

export function startOfDay(day: string, zone: PageZone, daysLater = 0): string | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  if (date === undefined) return null;
  const parts = [Number(year), Number(month) - 1, Number(date) + daysLater] as const;
  const ms = zone === 'UTC' ? Date.UTC(...parts) : new Date(...parts).getTime();
  const isReal = new Date(Date.UTC(parts[0], parts[1], Number(date))).toISOString().startsWith(day);
  return isReal ? `${new Date(ms).toISOString().slice(0, 19)}Z` : null;
}

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

/** For example `1 d 23 h`. */
export function durationText(ms: number): string {
  let restMs = Math.max(0, ms);
  const parts: string[] = [];
  for (const [size, name] of UNITS) {
    const count = Math.floor(restMs / size);
    restMs -= count * size;
    if (count > 0) parts.push(`${String(count)} ${name}`);
    else if (parts.length > 0) break;
  }
  return parts.slice(0, 2).join(' ') || '0 s';
}

export function distanceText(iso: string, nowMs: number): string {
  const ms = Date.parse(iso) - nowMs;
  return ms >= 0 ? `in ${durationText(ms)}` : `${durationText(-ms)} ago`;
}

export function clockOffsetText(offsetMs: number): string {
  const roundedMs = Math.round(offsetMs / 60_000) * 60_000;
  if (roundedMs === 0) return 'The same as real time.';
  return `${durationText(Math.abs(roundedMs))} ${roundedMs > 0 ? 'ahead of' : 'behind'} real time.`;
}

export const asWords = (name: string): string => name.replaceAll('_', ' ');

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const nameOf = (operation: { readonly reference?: string | null; readonly id: string }): string =>
  operation.reference ?? operation.id.slice(0, 8);

export function statusText(operation: Operation, nowMs: number | null): string {
  const { status, failure, pending_reason: reason, code_expires_at: until } = operation;
  if (failure !== null) return `Failed: ${asWords(failure.reason)}`;
  if (status !== 'pending') return capitalize(status);
  const restMs = until === undefined || nowMs === null ? null : Date.parse(until) - nowMs;
  const codeText =
    restMs === null ? '' : restMs <= 0 ? ', which has expired' : `, valid for ${durationText(restMs)}`;
  return `Pending: ${asWords(reason ?? '')}${codeText}`;
}

export const operationText = (operation: Operation, nowMs: number | null): string =>
  `${statusText(operation, nowMs)} · ${nameOf(operation)} · ${groupDigits(operation.amount)} ${operation.currency}`;

export function operationIn(json: unknown): Operation | null {
  const answer = (json ?? {}) as { readonly operation?: Operation } & Partial<Operation>;
  const { operation, ...rest } = answer;
  if (operation !== undefined) return operation;
  return rest.failure !== undefined && rest.method !== undefined ? (rest as Operation) : null;
}

export function sandboxText(json: unknown, timeText: (iso: string) => string): string | null {
  type Texts = Record<'now' | 'api_key' | 'url' | 'secret', string>;
  const answer = (json ?? {}) as Partial<
    Texts & Record<'armed' | 'cleared' | 'operations', number> & Record<'reset' | 'imported', true>
  >;
  const { imported, operations, armed, cleared, now, api_key: key, reset, url, secret } = answer;
  if (armed !== undefined)
    return armed === 1 ? 'Armed for the next one' : `Armed for the next ${String(armed)}`;
  if (cleared !== undefined) return `Disarmed: ${String(cleared)}`;
  if (imported !== undefined) return `Imported: ${groupDigits(counted(operations ?? 0, 'operation'))}`;
  if (now !== undefined) {
    const move = clockMoveText(json as ClockMove, true);
    return `The time is now ${timeText(now)}${move === null ? '' : `: ${move}`}`;
  }
  if (key !== undefined) return `Key made: ${key}`;
  if (reset !== undefined) return 'The sandbox begins again';
  return secret === undefined ? null : `Registered: ${url ?? ''}`;
}
