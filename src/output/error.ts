import { otherCommandLines, wholeMessage } from '../runtime/failure.js';
import type { Failure, FailureDetail } from '../runtime/failure.js';
import { escapeLines } from './escape.js';
import type { LogFacts } from '../runtime/ports.js';

export type Report = ReturnType<typeof reportOf>;

export function reportOf(failure: Failure) {
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

const MESSAGE_MAX = 8000;
const DETAILS_MAX_JSON = 200;
const NAME_MAX = 200;

export function mapTexts(detail: FailureDetail, change: (text: string) => string): FailureDetail {
  const { field, code, extraMembers } = detail;
  const facts = { field: change(field), code: change(code) };
  if (extraMembers === undefined) return facts;
  const changeText = (value: unknown): unknown => (typeof value === 'string' ? change(value) : value);
  const entries = Object.entries(extraMembers).map(([name, value]) => [name, changeText(value)]);
  return { ...facts, extraMembers: Object.fromEntries(entries) as typeof extraMembers };
}

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

export function capText(text: string, max: number): string {
  const missingCount = text.length - max;
  return missingCount > 0 ? `${text.slice(0, max)} (${String(missingCount)} more characters)` : text;
}

/** `text` must already be masked, because `logLine` masks nothing. */
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
