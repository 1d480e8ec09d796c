/** Errors on standard error as one JSON line for scripts; `error-prose.ts` has the words for people. */
import {
  otherCommandLines,
  wholeMessage,
  type Failure,
  type FailureDetail,
  type OtherCommand,
  type SentOutcome,
} from '../runtime/failure.js';
import { escapeLines } from './escape.js';
import type { LogFacts } from '../runtime/ports.js';

/** Everything that is reported about an error; null if it is not known or does not apply. */
export interface Report {
  /** The API's error code, or else svc's own code or the kind of the failure. */
  readonly code: string;
  /** What happened, what that means for the money, what to do next. */
  readonly message: string;
  readonly items: readonly string[];
  /** Sentences below the items: what to do next. */
  readonly advice: readonly string[];
  /** An alternative to `nextCommand`, below the advice. Its typed values are not masked: a masked line would be a different request. */
  readonly otherCommand: OtherCommand | null;
  readonly details: readonly FailureDetail[] | null;
  readonly status: number | null;
  readonly exitCode: number;
  readonly outcome: SentOutcome;
  /** True if the request could have moved money. */
  readonly concernsMoney: boolean;
  readonly retryable: boolean;
  readonly idempotencyKey: string | null;
  readonly requestId: string | null;
  readonly nextCommand: string | null;
  /** True if `nextCommand` repeats the typed create. It is not masked then: a masked line would be a different request. */
  readonly isTypedCreate: boolean;
}

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

/** Limits for the service's texts in the error object, so that its line stays short enough for scripts. Commands and keys are never cut. */
const MESSAGE_MAX = 8000;
const DETAILS_MAX_JSON = 200;
const NAME_MAX = 200;

export function mapTexts(detail: FailureDetail, change: (text: string) => string): FailureDetail {
  const { field, code, extraMembers } = detail;
  const changedMembers = Object.entries(extraMembers ?? {}).map(([name, value]) => [
    name,
    typeof value === 'string' ? change(value) : value,
  ]);
  const facts = { field: change(field), code: change(code) };
  return extraMembers === undefined
    ? facts
    : { ...facts, extraMembers: Object.fromEntries(changedMembers) as typeof extraMembers };
}

/** Returns the error object on one line, without a line end. All members are always there, in this order. */
export function errorObject(report: Report): string {
  const details = report.details?.slice(0, DETAILS_MAX_JSON).map((detail) => {
    const { extraMembers, ...facts } = mapTexts(detail, (text) => capText(text, NAME_MAX));
    return { ...facts, ...extraMembers };
  });
  const object = JSON.stringify({
    error: {
      code: capText(report.code, NAME_MAX),
      message: [
        capText(wholeMessage(report.message, [...report.items, ...report.advice]), MESSAGE_MAX),
        ...otherCommandLines(report.otherCommand),
      ].join('\n'),
      details: details ?? null,
      status: report.status,
      exit_code: report.exitCode,
      outcome: report.outcome,
      retryable: report.retryable,
      idempotency_key: report.idempotencyKey,
      request_id: report.requestId === null ? null : capText(report.requestId, NAME_MAX),
      next_command: report.nextCommand,
    },
  });
  return escapeLines(object);
}

/** Cuts a text and says how much is missing. @param max in UTF-16 units */
export function capText(text: string, max: number): string {
  const missingCount = text.length - max;
  return missingCount > 0 ? `${text.slice(0, max)} (${String(missingCount)} more characters)` : text;
}

/**
 * Returns a line of the log with its line end; absent facts are left out.
 * @param text the message, with secrets masked
 * @param extraMembers further members, such as the error that ended the run
 */
export function logLine(nowMs: number, text: string, facts: LogFacts, extraMembers: object = {}): string {
  const { level = 'info', eventId, attempt, ms } = facts;
  const object = {
    ...{ level, time: new Date(nowMs).toISOString() },
    ...(eventId === undefined ? {} : { event_id: capText(eventId, 200) }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(ms === undefined ? {} : { ms: Math.round(ms) }),
    msg: capText(text, MESSAGE_MAX),
    ...extraMembers,
  };
  return `${escapeLines(JSON.stringify(object))}\n`;
}
