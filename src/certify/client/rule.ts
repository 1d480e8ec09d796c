import type { Baseline } from './baseline.js';
import type { Severity } from '../report/report.js';
import type { RunView } from './run-view.js';
import type { SeenRequest, SeenAnswer } from './request-seen.js';

export interface RuleFacts {
  readonly view: RunView;
  readonly baseline: Baseline;
}

export interface Breach {
  readonly why: string;
  readonly requests: readonly number[];
  readonly severity?: Severity;
}

export type Rule = (facts: RuleFacts) => Breach | null;

/** A request up to 20 ms before the end of an answer counts as sent after it, because the clocks of the two sides differ. */
export const CROSSING_MS = 20;

export function hasEndedBefore({ endedMs }: SeenRequest, { atMs }: SeenRequest): boolean {
  return endedMs !== null && endedMs <= atMs + CROSSING_MS;
}

export function answerWords(answer: SeenAnswer): string {
  if (answer.kind === 'none') return 'no answer';
  if (answer.kind === 'unreadable') return `an answer ${String(answer.status)} that cannot be read`;
  return answer.code === null ? String(answer.status) : `${String(answer.status)} ${answer.code}`;
}

const KEY_MAX = 40;

export function keyWords(key: string | null): string {
  if (key === null) return 'no key';
  return `key ${JSON.stringify(key.length > KEY_MAX ? `${key.slice(0, KEY_MAX)}...` : key)}`;
}

export function requestWords({ number, route, method }: SeenRequest): string {
  return `#${String(number)} ${route ?? method}`;
}

export function timesWords(times: number): string {
  return times === 1 ? 'once' : `${String(times)} times`;
}
