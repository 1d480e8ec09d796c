import { beforeDashes } from './line/argv.js';
import { styleForErrors } from './line/terminal.js';
import { isOutputMode } from '../output/mode.js';
import { escapeLines } from '../output/escape.js';
import { errorProse } from '../output/error-prose.js';
import { errorObject, logLine, mapTexts, reportOf, type Report } from '../output/error.js';
import { PLAIN } from '../output/style.js';
import {
  Failure,
  isDamage,
  otherCommandLines,
  ProgramEnded,
  toFailure,
  wholeMessage,
} from '../runtime/failure.js';
import { hasSent, Stopped, type Ports, type Redactor } from '../runtime/ports.js';
import { ReaderGone } from '../runtime/streams.js';

/** `ReaderGone` exits with 0, because the reader of standard output has all that it wanted. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof ReaderGone) return 0;
  const isReported = error instanceof Failure || error instanceof Stopped || error instanceof ProgramEnded;
  return isReported ? error.exitCode : toFailure(error).exitCode;
}

export async function report(error: unknown, argv: readonly string[], ports: Ports): Promise<void> {
  if (error instanceof ReaderGone || error instanceof ProgramEnded) return;
  const { redact } = ports;
  const reportFacts = redactReport(reportForError(error, ports), redact);
  const { errors } = ports;
  const isDefect = reportFacts.code === 'defect' && error instanceof Error && !isDamage(error);
  const trace = isDefect ? escapeLines(redact(ports.mapStack(error.stack ?? ''))) : '';
  if (isLogWanted(argv)) return reportLogged(reportFacts, trace, ports);
  const style = await styleForErrors(ports, { 'no-color': argv.includes('--no-color') }).catch(() => PLAIN);
  const width = errors.isTTY ? errors.columns : Infinity;
  const isJson = !errors.isTTY && isJsonWanted(argv, ports);
  const text = isJson ? `${errorObject(reportFacts)}\n` : errorProse(reportFacts, style, width);
  await errors.write((trace === '' ? '' : `${trace}\n`) + text).catch(() => undefined);
}

async function reportLogged(reportFacts: Report, trace: string, { errors, clock }: Ports): Promise<void> {
  const level = reportFacts.code === 'stopped' ? 'info' : 'error';
  const linesBelow = [
    ...reportFacts.items,
    ...reportFacts.advice,
    ...otherCommandLines(reportFacts.otherCommand),
  ];
  const text = wholeMessage(reportFacts.message, linesBelow);
  const objectFacts = {
    ...(JSON.parse(errorObject(reportFacts)) as object),
    ...(trace === '' ? {} : { trace }),
  };
  await errors.write(logLine(clock.now(), text, { level }, objectFacts)).catch(() => undefined);
}

/** The command that repeats a create is not masked, because a masked command would be another request. */
function redactReport(report: Report, redact: Redactor): Report {
  const hide = (text: string | null): string | null => (text === null ? null : redact(text));
  return {
    ...report,
    code: redact(report.code),
    message: redact(report.message),
    items: report.items.map(redact),
    advice: report.advice.map(redact),
    details: report.details?.map((detail) => mapTexts(detail, redact)) ?? null,
    idempotencyKey: hide(report.idempotencyKey),
    nextCommand: report.isTypedCreate ? report.nextCommand : hide(report.nextCommand),
    requestId: hide(report.requestId),
  };
}

function reportForError(error: unknown, ports: Ports): Report {
  if (error instanceof Failure) return reportOf(error);
  if (error instanceof Stopped) {
    const { failure } = error;
    const stoppedReport = reportOf(failure ?? new Failure('defect', ''));
    const message = failure === null ? error.message : `${error.message} ${failure.head}`;
    return { ...stoppedReport, code: 'stopped', message, exitCode: error.exitCode };
  }
  const isDefect = toFailure(error).kind === 'defect';
  return reportOf(toFailure(error, { outcome: isDefect || hasSent(ports) ? 'unknown' : 'not_sent' }));
}

/** Reads the raw arguments, because the command may be unknown or a flag bad. */
function isJsonWanted(argv: readonly string[], { env, output }: Pick<Ports, 'env' | 'output'>): boolean {
  const flags = beforeDashes(argv);
  if (flags.includes('--json')) return true;
  const formatFlag = flags
    .map((flag, at) => {
      if (flag === '--output' || flag === '-o') return flags[at + 1] ?? null;
      return /^(?:--output=|-o=?)(.+)$/.exec(flag)?.[1] ?? null;
    })
    .findLast(isOutputMode);
  if (formatFlag !== undefined) return formatFlag === 'json' || formatFlag === 'ndjson';
  if (flags.some((flag) => flag === '--jq' || flag.startsWith('--jq=') || flag.startsWith('-q'))) return true;
  const outputVariable = env['SVC_OUTPUT'];
  if (outputVariable === 'table' || outputVariable === 'csv') return false;
  return outputVariable === 'json' || outputVariable === 'ndjson' || !output.isTTY;
}

function isLogWanted(argv: readonly string[]): boolean {
  const flags = beforeDashes(argv);
  const logForms = flags.flatMap((flag, at) =>
    flag === '--log' ? [flags[at + 1]] : /^--log=(.*)$/s.exec(flag)?.[1],
  );
  return logForms.findLast((form) => form !== undefined) === 'json';
}
