/** What a rule is given and gives, and the words that all of them use. Pure. */
import type { Clean } from './client-exam.js';
import type { Severity } from './report.js';
import type { RunView } from './run-view.js';
import type { SeenRequest, Told } from './seen.js';

/** A run and what it is held against. */
export interface RuleFacts {
  readonly view: RunView;
  readonly clean: Clean;
}

export interface Breach {
  /** Sentences for a person. */
  readonly why: string;
  readonly requests: readonly number[];
  /** Where it is less than the rule's own. */
  readonly severity?: Severity;
}

/** Null where a run keeps it. */
export type Rule = (facts: RuleFacts) => Breach | null;

/** What is sent and handed over within so many milliseconds may have crossed: clocks of two sides of a connection differ. */
export const CROSSING_MS = 20;

/** Whether the answer had left before the other request came. */
export function hasEndedBefore({ endedMs }: SeenRequest, { atMs }: SeenRequest): boolean {
  return endedMs !== null && endedMs <= atMs + CROSSING_MS;
}

/** What the command was told, in a few words. */
export function toldWords(told: Told): string {
  if (told.kind === 'none') return 'no answer';
  if (told.kind === 'unreadable') return `an answer ${String(told.status)} that cannot be read`;
  return told.code === null ? String(told.status) : `${String(told.status)} ${told.code}`;
}

const KEY_SHOWN = 40;

/** A key as it is shown: quoted, its end cut off where it is long. */
export function keyWords(key: string | null): string {
  if (key === null) return 'no key';
  return `key ${JSON.stringify(key.length > KEY_SHOWN ? `${key.slice(0, KEY_SHOWN)}...` : key)}`;
}

export function requestWords({ number, route, method }: SeenRequest): string {
  return `#${String(number)} ${route ?? method}`;
}

export function timesWords(times: number): string {
  return times === 1 ? 'once' : `${String(times)} times`;
}
