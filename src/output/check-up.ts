/** A check-up as a person reads it: what was looked at, how it is, and the command that mends it. */
import { escapeText } from './escape.js';
import { PLAIN, type Style, type Tone } from './style.js';
import { widthOf, wrapPieces } from './width.js';

export interface CheckUpLine {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'error';
  readonly message: string;
  /** A command line that mends it, or null. */
  readonly fix: string | null;
}

/** A mark and a word: neither colour nor signs are all that says it. */
const MARKS: Readonly<Record<CheckUpLine['status'], readonly [mark: keyof Style['marks'], tone: Tone]>> = {
  ok: ['good', 'good'],
  warning: ['alert', 'waiting'],
  error: ['bad', 'bad'],
};
/** The mark, the longest word, and a space behind each. */
const STATUS_WIDTH = '✓ warning '.length;
/** What a message needs beside its label; with less it goes below. */
const MESSAGE_MIN = 24;

/** One check after the other, each line ended; commands stay in one piece. */
export function renderCheckUp(checks: readonly CheckUpLine[], width: number, style: Style = PLAIN): string {
  const widest = checks.reduce((most, { check }) => Math.max(most, widthOf(escapeText(check))), 0);
  const indent = STATUS_WIDTH + widest + 2;
  return checks
    .flatMap(({ check, status, message, fix }) => {
      const [mark, tone] = MARKS[status];
      const words = escapeText(message).split(' ');
      const room = width - indent;
      const isNarrow = room < MESSAGE_MIN || words.some((word) => widthOf(word) > room);
      const left = isNarrow ? STATUS_WIDTH : indent;
      const standing = `${style.marks[mark]} ${status}`.padEnd(STATUS_WIDTH);
      const label = style[tone](standing) + escapeText(check);
      // A path is never broken: one that is longer than a line goes over its end, and is copied whole.
      const lines = wrapPieces(words, Math.max(width - left, 10));
      const gap = ' '.repeat(indent - STATUS_WIDTH - widthOf(escapeText(check)));
      const [first = '', ...rest] = lines;
      const head = isNarrow ? [label, ' '.repeat(left) + first] : [`${label}${gap}${first}`];
      const mend = fix === null ? [] : [`${' '.repeat(left)}${style.accent(escapeText(fix))}`];
      return [...head, ...rest.map((line) => ' '.repeat(left) + line), ...mend];
    })
    .map((line) => `${line}\n`)
    .join('');
}
