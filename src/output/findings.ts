/** A check-up as a person reads it: what was looked at, how it is, and the command that mends it. */
import { escapeText } from './escape.js';
import { PLAIN, type Style, type Tone } from './style.js';
import { widthOf, wrap } from './width.js';

export interface ShownFinding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'error';
  readonly message: string;
  readonly fix: string | null;
}

const MARKS: Readonly<Record<ShownFinding['status'], readonly [text: string, tone: Tone]>> = {
  ok: ['ok      ', 'good'],
  warning: ['warning ', 'waiting'],
  error: ['error   ', 'bad'],
};
/** What a message needs beside its label; with less it goes below. */
const MESSAGE_MIN = 24;

/** One finding after the other, each line ended; commands stay in one piece. */
export function renderFindings(
  findings: readonly ShownFinding[],
  width: number,
  style: Style = PLAIN,
): string {
  const widest = findings.reduce((most, { check }) => Math.max(most, widthOf(escapeText(check))), 0);
  const indent = 8 + widest + 2;
  const isNarrow = width - indent < MESSAGE_MIN;
  const left = isNarrow ? 8 : indent;
  return findings
    .flatMap(({ check, status, message, fix }) => {
      const [mark, tone] = MARKS[status];
      const label = style[tone](mark) + escapeText(check);
      const lines = wrap(escapeText(message), Math.max(width - left, 10));
      const gap = ' '.repeat(indent - 8 - widthOf(escapeText(check)));
      const [first = '', ...rest] = lines;
      const head = isNarrow ? [label, ' '.repeat(8) + first] : [`${label}${gap}${first}`];
      const mend = fix === null ? [] : [`${' '.repeat(left)}${style.strong(escapeText(fix))}`];
      return [...head, ...rest.map((line) => ' '.repeat(left) + line), ...mend];
    })
    .map((line) => `${line}\n`)
    .join('');
}
