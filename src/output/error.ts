/** Errors on standard error as one JSON line for scripts; `error-prose.ts` has the words for people. */
import {
  otherLines,
  wholeMessage,
  type Failure,
  type FailureDetail,
  type OtherCommand,
  type SentOutcome,
} from '../runtime/failure.js';
import { escapeLines } from './escape.js';
import type { LogFacts } from '../runtime/ports.js';

/** Everything that is said about an error; null where it is not known or does not apply. */
export interface Report {
  /** The API's error code where it gave one, else the kind of the failure. */
  readonly code: string;
  /** What happened, what that means for the money, what to do next. */
  readonly message: string;
  /** What stands beneath it, an item a line. */
  readonly items: readonly string[];
  /** Sentences behind them: how to go on. */
  readonly advice: readonly string[];
  /** A line of what was typed, behind them: what was typed is not hidden in it, or it would be another request. */
  readonly otherCommand: OtherCommand | null;
  readonly details: readonly FailureDetail[] | null;
  /** The HTTP status. */
  readonly status: number | null;
  readonly exitCode: number;
  readonly outcome: SentOutcome;
  /** Whether it could have moved money. */
  readonly concernsMoney: boolean;
  readonly retryable: boolean;
  readonly idempotencyKey: string | null;
  readonly requestId: string | null;
  /** A command line that can be pasted. */
  readonly nextCommand: string | null;
  /** It is the create that was typed: nothing is hidden in it, or it would be another request. */
  readonly isTypedCreate: boolean;
}

/** What a failure says; `message` is left out nowhere, so it holds no secret that a caller put there. */
export function reportOf(failure: Failure): Report {
  const { facts } = failure;
  return {
    code: facts.code ?? failure.kind,
    message: failure.head,
    items: facts.items ?? [],
    advice: facts.advice ?? [],
    otherCommand: facts.otherCommand ?? null,
    details: facts.details ?? null,
    status: facts.status ?? null,
    exitCode: failure.exitCode,
    outcome: facts.outcome ?? 'not_sent',
    concernsMoney: facts.concernsMoney ?? true,
    retryable: facts.retryable ?? false,
    idempotencyKey: facts.idempotencyKey ?? null,
    requestId: facts.requestId ?? null,
    nextCommand: facts.nextCommand ?? null,
    isTypedCreate: facts.isTypedCreate ?? facts.idempotencyKey !== undefined,
  };
}

/** Of what a service says, a script gets this much: a line that it can hold. Commands and keys are never cut. */
const MESSAGE_MAX = 8000;
const DETAILS_MAX_JSON = 200;
const NAME_MAX = 200;

export function mapTexts(detail: FailureDetail, change: (text: string) => string): FailureDetail {
  const { field, code, more } = detail;
  const changed = Object.entries(more ?? {}).map(([name, value]) => [
    name,
    typeof value === 'string' ? change(value) : value,
  ]);
  const facts = { field: change(field), code: change(code) };
  return more === undefined ? facts : { ...facts, more: Object.fromEntries(changed) as typeof more };
}

/** The error object on one line, without a line end; every member is there, in this order. */
export function errorObject(report: Report): string {
  const details = report.details?.slice(0, DETAILS_MAX_JSON).map((detail) => {
    const { more, ...facts } = mapTexts(detail, (text) => capped(text, NAME_MAX));
    return { ...facts, ...more };
  });
  const object = JSON.stringify({
    error: {
      code: capped(report.code, NAME_MAX),
      message: [
        capped(wholeMessage(report.message, [...report.items, ...report.advice]), MESSAGE_MAX),
        ...otherLines(report.otherCommand),
      ].join('\n'),
      details: details ?? null,
      status: report.status,
      exit_code: report.exitCode,
      outcome: report.outcome,
      retryable: report.retryable,
      idempotency_key: report.idempotencyKey,
      request_id: report.requestId === null ? null : capped(report.requestId, NAME_MAX),
      next_command: report.nextCommand,
    },
  });
  return escapeLines(object);
}

/** @param max in UTF-16 units; a text that is no longer comes back as it is */
export function capped(text: string, max: number): string {
  const more = text.length - max;
  return more > 0 ? `${text.slice(0, max)} (${String(more)} more characters)` : text;
}

/** Of what somebody else says, a log gets this much. */
const TEXT_MAX = 8000;

/**
 * The line with its end; what is not known is left out.
 * @param text with no secret in it any more
 * @param more members behind it: the error that a run ends with
 */
export function logLine(nowMs: number, text: string, facts: LogFacts, more: object = {}): string {
  const { level = 'info', eventId, attempt, ms } = facts;
  const object = {
    ...{ level, time: new Date(nowMs).toISOString() },
    ...(eventId === undefined ? {} : { event_id: capped(eventId, 200) }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(ms === undefined ? {} : { ms: Math.round(ms) }),
    msg: capped(text, TEXT_MAX),
    ...more,
  };
  return `${escapeLines(JSON.stringify(object))}\n`;
}
