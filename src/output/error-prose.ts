import { quote } from '../runtime/shell.js';
import { capText, type Report } from './error.js';
import { escapeLines, escapeText } from './escape.js';
import { PLAIN, type Style } from './style.js';
import { widthOf, wrapPieces } from './width.js';

const TEXT_MAX = 2000;
const DETAILS_MAX = 20;

export function errorProse(report: Report, style: Style = PLAIN, width = Infinity): string {
  const meaning = meaningFor(report);
  const { items, nextCommand } = report;
  const message = withoutCommand(report.message, nextCommand);
  const details = (report.details ?? [])
    .filter(({ code }) => !EXPLAINED_CODES.has(code))
    .map(({ field, code }) => `${field}: ${code}`);
  const hiddenCount = details.length - DETAILS_MAX;
  if (hiddenCount > 0) details.splice(DETAILS_MAX, hiddenCount, `and ${String(hiddenCount)} more`);
  const { idempotencyKey: key } = report;
  const isKeyNamed = key !== null && nextCommand?.split(' ').includes(quote(key)) === true;
  const proseOf = (text: string, indent = ''): string[] => proseLines(escapeCapped(text), width, indent);
  const lines = [
    ...(CHOSEN_END_CODES.has(report.code)
      ? proseOf(message)
      : proseLines(`Error: ${escapeCapped(message)}`, width).map((line) =>
          line.replace(/^Error:/, style.bad('Error:')),
        )),
    ...(items.length > 0 ? items : details).flatMap((text) => proseOf(text, '  ')),
    ...report.advice.filter((text) => !endsWithCommand(text, nextCommand)).flatMap((text) => proseOf(text)),
    ...(report.otherCommand === null
      ? []
      : [`${report.otherCommand.when}:`, `  ${escapeLines(report.otherCommand.line)}`]),
    ...(meaning === null ? [] : proseOf(meaning)),
    ...(isKeyNamed ? [] : labelledLine('Idempotency-Key', key)),
    ...labelledLine('Request id', report.requestId),
    ...report.advice
      .filter((text) => endsWithCommand(text, nextCommand))
      .flatMap((text) => proseOf(text.slice(0, -(nextCommand?.length ?? 0) - 1))),
    ...(nextCommand === null ? [] : [`Next: ${style.accent(escapeLines(nextCommand))}`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

const CHOSEN_END_CODES = new Set(['stopped', 'not_confirmed', 'left']);

const EXPLAINED_CODES = new Set(['key_used']);

/** Removes a last sentence such as "Store one: svc ...", because the report shows the command on its own line. */
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

function proseLines(text: string, width: number, indent = ''): string[] {
  const words = text.match(/"svc [^"]*"\S*|(?<=(?<!^Error): )svc .*|\S+/g) ?? [''];
  return wrapPieces(words, Math.max(width - 2 * indent.length, 20)).map((line, at) =>
    at === 0 ? indent + line : `${indent}${indent}${line}`,
  );
}

function labelledLine(label: string, value: string | null): string[] {
  return value === null ? [] : [`${label}: ${escapeCapped(value)}`];
}

function meaningFor({ outcome, exitCode, message, status, concernsMoney }: Report): string | null {
  // Exit code 17 means that svc rejected a delivery, so there was nothing to send.
  const isMeaningSaid =
    exitCode === 17 ||
    /nothing (more )?(was|is) (sent|stored|changed|run|reconciled|forgotten|removed|written|signed|verified)\b|svc sends nothing\b/i.test(
      message,
    );
  if (outcome === 'not_sent') return isMeaningSaid ? null : 'Nothing was sent.';
  if (outcome === 'unknown' && /\boutcome is not known\b/.test(message)) return NO_NEW_KEY;
  if (outcome === 'unknown') return KEEPS_THE_KEY.test(message) ? null : UNKNOWN_TEXT;
  return REFUSAL_EXIT_CODES.has(exitCode) && status !== null && concernsMoney
    ? 'The service refused the request. It moved no money.'
    : null;
}

const NO_NEW_KEY = 'Do not start again with a new key.';
const UNKNOWN_TEXT = `The outcome is not known, so money may have moved. ${NO_NEW_KEY}`;

const KEEPS_THE_KEY = /never with a new key|the same keys pay nothing twice/;

const REFUSAL_EXIT_CODES = new Set([4, 6, 7]);

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
