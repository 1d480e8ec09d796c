import { escapeText } from '../../output/escape.js';
import { PLAIN, type Style, type Tone } from '../../output/style.js';
import { widthOf, wrapPieces } from '../../output/width.js';
import type { FailureKind } from '../../runtime/failure.js';

export interface CheckUpLine {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'error';
  readonly message: string;
  readonly fix: string | null;
}

export interface Check extends CheckUpLine {
  readonly kind: FailureKind | null;
}

export function ok(check: string, message: string): Check {
  return { check, status: 'ok', message, fix: null, kind: null };
}

export function warning(check: string, message: string, fix: string | null = null): Check {
  return { check, status: 'warning', message, fix, kind: null };
}

export function error(check: string, kind: FailureKind, message: string, fix: string | null = null): Check {
  return { check, status: 'error', message, fix, kind };
}

const MARKS: Readonly<Record<CheckUpLine['status'], readonly [mark: keyof Style['marks'], tone: Tone]>> = {
  ok: ['good', 'good'],
  warning: ['alert', 'waiting'],
  error: ['bad', 'bad'],
};
const STATUS_WIDTH = '✓ warning '.length;
const MESSAGE_MIN = 24;

export function renderCheckUp(checks: readonly CheckUpLine[], width: number, style: Style = PLAIN): string {
  const labelWidth = checks.reduce((most, { check }) => Math.max(most, widthOf(escapeText(check))), 0);
  const indent = STATUS_WIDTH + labelWidth + 2;
  return checks
    .flatMap(({ check, status, message, fix }) => {
      const [mark, tone] = MARKS[status];
      const words = escapeText(message).split(' ');
      const room = width - indent;
      const isStacked = room < MESSAGE_MIN || words.some((word) => widthOf(word) > room);
      const textIndent = isStacked ? STATUS_WIDTH : indent;
      const statusText = `${style.marks[mark]} ${status}`.padEnd(STATUS_WIDTH);
      const label = style[tone](statusText) + escapeText(check);
      const lines = wrapPieces(words, Math.max(width - textIndent, 10));
      const gap = ' '.repeat(indent - STATUS_WIDTH - widthOf(escapeText(check)));
      const [firstLine = '', ...otherLines] = lines;
      const head = isStacked ? [label, ' '.repeat(textIndent) + firstLine] : [`${label}${gap}${firstLine}`];
      const fixLine = fix === null ? [] : [`${' '.repeat(textIndent)}${style.accent(escapeText(fix))}`];
      return [...head, ...otherLines.map((line) => ' '.repeat(textIndent) + line), ...fixLine];
    })
    .map((line) => `${line}\n`)
    .join('');
}
