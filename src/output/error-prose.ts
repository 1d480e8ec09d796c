/** Renders errors and notes for people on standard error. Lines fit into the terminal, and control characters are escaped. */
import { quote } from '../runtime/shell.js';
import { capText, type Report } from './error.js';
import { escapeLines, escapeText } from './escape.js';
import { PLAIN, type Style } from './style.js';
import { widthOf, wrapPieces } from './width.js';

/** The limits of what a person sees: characters of one text, and field errors. The number of further errors follows. */
const TEXT_MAX = 2000;
const DETAILS_MAX = 20;

/**
 * Renders a report: what happened, what that means for the money, what to do next. Line ends inside a text are escaped.
 * @param width lines are broken between words to fit it, except commands; `Infinity` if no person reads them
 */
export function errorProse(report: Report, style: Style = PLAIN, width = Infinity): string {
  const meaning = meaningFor(report);
  const { items, nextCommand } = report;
  const message = withoutCommand(report.message, nextCommand);
  const details = (report.details ?? [])
    .filter(({ code }) => !EXPLAINED_CODES.has(code))
    .map(({ field, code }) => `${field}: ${code}`);
  const hiddenCount = details.length - DETAILS_MAX;
  if (hiddenCount > 0) details.splice(DETAILS_MAX, hiddenCount, `and ${String(hiddenCount)} more`);
  // The key is not shown again if the next command contains it.
  const { idempotencyKey: key } = report;
  const isKeyNamed = key !== null && nextCommand?.split(' ').includes(quote(key)) === true;
  const proseOf = (text: string, indent = ''): string[] => proseLines(escapeCapped(text), width, indent);
  const lines = [
    ...(CHOSEN_ENDS.has(report.code)
      ? proseOf(message)
      : proseLines(`Error: ${escapeCapped(message)}`, width).map((line) =>
          line.replace(/^Error:/, style.bad('Error:')),
        )),
    // Items say the same as the details, in words.
    ...(items.length > 0 ? items : details).flatMap((text) => proseOf(text, '  ')),
    ...report.advice.filter((text) => !endsWithCommand(text, nextCommand)).flatMap((text) => proseOf(text)),
    // The command is not cut or broken, so that it can be pasted.
    ...(report.otherCommand === null
      ? []
      : [`${report.otherCommand.when}:`, `  ${escapeLines(report.otherCommand.line)}`]),
    ...(meaning === null ? [] : proseOf(meaning)),
    ...(isKeyNamed ? [] : labelledLine('Idempotency-Key', key)),
    ...labelledLine('Request id', report.requestId),
    // An advice that introduces the next command stands right above it.
    ...report.advice
      .filter((text) => endsWithCommand(text, nextCommand))
      .flatMap((text) => proseOf(text.slice(0, -(nextCommand?.length ?? 0) - 1))),
    ...(nextCommand === null ? [] : [`Next: ${style.accent(escapeLines(nextCommand))}`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Codes for an end that a person chose. Its report does not begin with "Error:". */
const CHOSEN_ENDS = new Set(['stopped', 'not_confirmed', 'left']);

const EXPLAINED_CODES = new Set(['key_used']);

/** Removes a last sentence such as "Store one: svc ...", because the command has its own line below. */
export function withoutCommand(text: string, line: string | null): string {
  if (!endsWithCommand(text, line)) return text;
  const beforeCommand = text.slice(0, -(line ?? '').length);
  const end = Math.max(...['. ', '? ', '! '].map((mark) => beforeCommand.lastIndexOf(mark)));
  return end === -1 ? text : beforeCommand.slice(0, end + 1);
}

function endsWithCommand(text: string, command: string | null): boolean {
  return command !== null && text.endsWith(`: ${command}`);
}

function escapeCapped(text: string): string {
  return escapeText(capText(text, TEXT_MAX));
}

/**
 * Breaks a text between words. Commands are not broken: those in quotes, and one that follows a colon at the end. A
 * sentence that begins with "svc" is broken as any other.
 */
function proseLines(text: string, width: number, indent = ''): string[] {
  const words = text.match(/"svc [^"]*"\S*|(?<=(?<!^Error): )svc .*|\S+/g) ?? [''];
  return wrapPieces(words, Math.max(width - 2 * indent.length, 20)).map((line, at) =>
    at === 0 ? indent + line : `${indent}${indent}${line}`,
  );
}

function labelledLine(label: string, value: string | null): string[] {
  return value === null ? [] : [`${label}: ${escapeCapped(value)}`];
}

/** Says what the outcome means for the money, if the message does not say it already. */
function meaningFor({ outcome, exitCode, message, status, concernsMoney }: Report): string | null {
  // Exit code 17 rejects a delivery that arrived: there was nothing to send.
  const isMeaningSaid =
    exitCode === 17 ||
    /nothing (more )?(was|is) (sent|stored|changed|run|reconciled|forgotten|removed|written|signed|verified)\b|svc sends nothing\b/i.test(
      message,
    );
  if (outcome === 'not_sent') return isMeaningSaid ? null : 'Nothing was sent.';
  if (outcome === 'unknown' && /\boutcome is not known\b/.test(message)) return NO_NEW_KEY;
  if (outcome === 'unknown') return KEEPS_THE_KEY.test(message) ? null : UNKNOWN_TEXT;
  // Without a status the refusal is svc's own.
  return REFUSAL_CODES.has(exitCode) && status !== null && concernsMoney
    ? 'The service refused the request. It moved no money.'
    : null;
}

const NO_NEW_KEY = 'Do not start again with a new key.';
const UNKNOWN_TEXT = `The outcome is not known, so money may have moved. ${NO_NEW_KEY}`;

/** Matches messages that already say how to pay nothing twice. */
const KEEPS_THE_KEY = /never with a new key|the same keys pay nothing twice/;

/** Exit codes for no access, rejected and conflict, with which svc says that no money moved. "Not found" (5) needs no such sentence. */
const REFUSAL_CODES = new Set([4, 6, 7]);

/** Renders a note with its line end. A line that is wider than the terminal is broken, and loses repeated spaces. */
export function renderNote(
  text: string,
  screen: { readonly isTTY: boolean; readonly columns: number },
): string {
  const lines = escapeLines(text).split('\n');
  const fittingLines = screen.isTTY
    ? lines.flatMap((line) => (widthOf(line) <= screen.columns ? [line] : proseLines(line, screen.columns)))
    : lines;
  return `${fittingLines.join('\n')}\n`;
}
