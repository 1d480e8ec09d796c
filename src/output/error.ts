/** Errors on standard error: one JSON line for scripts, prose for people (cli.md section 4). */
import type { Failure, SentOutcome } from '../runtime/failure.js';
import { escapeLines, escapeText } from './escape.js';
import { PLAIN, type Style } from './style.js';

/** Everything that is said about an error; null where it is not known or does not apply. */
export interface Report {
  /** The API's error code where it gave one, else the kind of the failure. */
  readonly code: string;
  /** What happened, what that means for the money, what to do next. */
  readonly message: string;
  readonly details: readonly { readonly field: string; readonly code: string }[] | null;
  /** The HTTP status. */
  readonly status: number | null;
  readonly exitCode: number;
  readonly outcome: SentOutcome;
  readonly retryable: boolean;
  readonly idempotencyKey: string | null;
  readonly requestId: string | null;
  /** A command line that can be pasted. */
  readonly nextCommand: string | null;
}

/** What a failure says; `message` is left out nowhere, so it holds no secret that a caller put there. */
export function reportOf(failure: Failure): Report {
  const { facts } = failure;
  return {
    code: facts.code ?? failure.kind,
    message: failure.message,
    details: facts.details ?? null,
    status: facts.status ?? null,
    exitCode: failure.exitCode,
    outcome: facts.outcome ?? 'not_sent',
    retryable: facts.retryable ?? false,
    idempotencyKey: facts.idempotencyKey ?? null,
    requestId: facts.requestId ?? null,
    nextCommand: facts.nextCommand ?? null,
  };
}

/** The object of cli.md section 4 on one line, without a line end; every member is there, in that order. */
export function errorObject(report: Report): string {
  const object = JSON.stringify({
    error: {
      code: report.code,
      message: report.message,
      details: report.details?.map(({ field, code }) => ({ field, code })) ?? null,
      status: report.status,
      exit_code: report.exitCode,
      outcome: report.outcome,
      retryable: report.retryable,
      idempotency_key: report.idempotencyKey,
      request_id: report.requestId,
      next_command: report.nextCommand,
    },
  });
  return escapeLines(object);
}

/** The same in words, each line ending with a line end: what happened, what that means for the money, what to do next. */
export function errorProse(report: Report, style: Style = PLAIN): string {
  const meaning = meaningFor(report);
  const lines = [
    `${style.bad('Error:')} ${escapeText(report.message)}`,
    ...(report.details ?? []).map(({ field, code }) => `  ${escapeText(`${field}: ${code}`)}`),
    ...(meaning === null ? [] : [meaning]),
    ...pair('Idempotency-Key', report.idempotencyKey),
    ...pair('Request id', report.requestId),
    ...(report.nextCommand === null ? [] : [`Next: ${style.strong(escapeLines(report.nextCommand))}`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function pair(label: string, value: string | null): string[] {
  return value === null ? [] : [`${label}: ${escapeText(value)}`];
}

/** What the outcome means for the money, where the message does not say so already. */
function meaningFor({ outcome, exitCode, message }: Report): string | null {
  // A delivery that is rejected came in: nothing was to be sent.
  const isSaid = exitCode === 17 || /nothing (was|is) sent/i.test(message);
  if (outcome === 'not_sent') return isSaid ? null : 'Nothing was sent.';
  if (outcome === 'unknown') return UNKNOWN;
  return REFUSED.has(exitCode) ? 'The service refused the request: this request moved no money.' : null;
}

const UNKNOWN =
  'It is not known whether this was carried out, so money may have moved. Do not start again with a new key.';

/** No access, not found, rejected, conflict. */
const REFUSED = new Set([4, 5, 6, 7]);
