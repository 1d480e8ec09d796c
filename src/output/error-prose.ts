/**
 * What is said on standard error in words for people: errors, and notes beside the data; lines that fit into the terminal, and drive
 * nothing in it.
 */
import { quote } from '../runtime/shell.js';
import { capped, type Report } from './error.js';
import { escapeLines, escapeText } from './escape.js';
import { PLAIN, type Style } from './style.js';
import { widthOf, wrapPieces } from './width.js';

/** Characters of one text, and offending fields of an answer, that a person is shown; a word says how many more there are. */
const TEXT_MAX = 2000;
const DETAILS_MAX = 20;

/**
 * The same in words, each line ending with a line end: what happened, what that means for the money, what to do next. Whatever a text
 * holds, it stays in its line.
 * @param width lines are broken between words to fit it; a command never is. `Infinity` where nobody looks
 */
export function errorProse(report: Report, style: Style = PLAIN, width = Infinity): string {
  const meaning = meaningFor(report);
  const { items, nextCommand } = report;
  const message = withoutLine(report.message, nextCommand);
  const details = (report.details ?? [])
    .filter(({ code }) => !SAID.has(code))
    .map(({ field, code }) => `${field}: ${code}`);
  const more = details.length - DETAILS_MAX;
  if (more > 0) details.splice(DETAILS_MAX, more, `and ${String(more)} more`);
  // The key stands in the line to type, which stands at the end.
  const { idempotencyKey: key } = report;
  const isKeyNamed = key !== null && nextCommand?.split(' ').includes(quote(key)) === true;
  const said = (text: string, indent = ''): string[] => proseLines(shown(text), width, indent);
  const lines = [
    ...(CHOSEN.has(report.code)
      ? said(message)
      : proseLines(`Error: ${shown(message)}`, width).map((line) =>
          line.replace(/^Error:/, style.bad('Error:')),
        )),
    // Items say what the details say, in words.
    ...(items.length > 0 ? items : details).flatMap((text) => said(text, '  ')),
    ...report.advice.filter((text) => !leadsTo(text, nextCommand)).flatMap((text) => said(text)),
    // The line is not cut or broken: it is to be pasted.
    ...(report.otherCommand === null
      ? []
      : [`${report.otherCommand.when}:`, `  ${escapeLines(report.otherCommand.line)}`]),
    ...(meaning === null ? [] : said(meaning)),
    ...(isKeyNamed ? [] : pair('Idempotency-Key', key)),
    ...pair('Request id', report.requestId),
    // What introduces the next command stands right above it.
    ...report.advice
      .filter((text) => leadsTo(text, nextCommand))
      .flatMap((text) => said(text.slice(0, -(nextCommand?.length ?? 0) - 1))),
    ...(nextCommand === null ? [] : [`Next: ${style.accent(escapeLines(nextCommand))}`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** A person left or stopped it: that is no error. */
const CHOSEN = new Set(['stopped', 'not_confirmed', 'left']);

/** Codes of svc's own for what the sentence above them says in words. */
const SAID = new Set(['key_used']);

/** The text without a last sentence that only names the line to type, which stands below it: "Store one: svc ...". */
export function withoutLine(text: string, line: string | null): string {
  if (!leadsTo(text, line)) return text;
  const rest = text.slice(0, -(line ?? '').length);
  const end = Math.max(...['. ', '? ', '! '].map((mark) => rest.lastIndexOf(mark)));
  return end === -1 ? text : rest.slice(0, end + 1);
}

/** True for an advice that ends with the next command, which stands in a line of its own. */
function leadsTo(text: string, command: string | null): boolean {
  return command !== null && text.endsWith(`: ${command}`);
}

function shown(text: string): string {
  return escapeText(capped(text, TEXT_MAX));
}

/**
 * A text for people as lines that fit, broken between words. What is to be typed is not broken: a command in quotes, and whatever
 * stands behind "svc" after a colon at the end. A sentence may begin with "svc" and is broken as any other.
 */
function proseLines(text: string, width: number, indent = ''): string[] {
  const pieces = text.match(/"svc [^"]*"\S*|(?<=(?<!^Error): )svc .*|\S+/g) ?? [''];
  return wrapPieces(pieces, Math.max(width - 2 * indent.length, 20)).map((line, at) =>
    at === 0 ? indent + line : `${indent}${indent}${line}`,
  );
}

function pair(label: string, value: string | null): string[] {
  return value === null ? [] : [`${label}: ${shown(value)}`];
}

/** What the outcome means for the money, where the message does not say so already. */
function meaningFor({ outcome, exitCode, message, status, concernsMoney }: Report): string | null {
  // A delivery that is rejected came in: nothing was to be sent.
  const isSaid =
    exitCode === 17 ||
    /nothing (more )?(was|is) (sent|stored|changed|run|reconciled|forgotten|removed|written|signed|verified)\b|svc sends nothing\b/i.test(
      message,
    );
  if (outcome === 'not_sent') return isSaid ? null : 'Nothing was sent.';
  if (outcome === 'unknown' && /\boutcome is not known\b/.test(message)) return NO_NEW_KEY;
  if (outcome === 'unknown') return KEEPS_THE_KEY.test(message) ? null : UNKNOWN;
  // What svc itself does not find, no service has refused.
  return REFUSED.has(exitCode) && status !== null && concernsMoney
    ? 'The service refused the request. It moved no money.'
    : null;
}

const NO_NEW_KEY = 'Do not start again with a new key.';
const UNKNOWN = `The outcome is not known, so money may have moved. ${NO_NEW_KEY}`;

/** Says of itself how nothing is paid twice. */
const KEEPS_THE_KEY = /never with a new key|the same keys pay nothing twice/;

/** No access, rejected, conflict. What is not found says enough. */
const REFUSED = new Set([4, 6, 7]);

/** What a command says beside its data, with its line end. A line that fits stays as it is, with its spaces; one where nobody looks is never broken. */
export function renderNote(
  text: string,
  screen: { readonly isTTY: boolean; readonly columns: number },
): string {
  const lines = escapeLines(text).split('\n');
  const fitting = screen.isTTY
    ? lines.flatMap((line) => (widthOf(line) <= screen.columns ? [line] : proseLines(line, screen.columns)))
    : lines;
  return `${fitting.join('\n')}\n`;
}
