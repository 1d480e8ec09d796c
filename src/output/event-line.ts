import { escapeText } from './escape.js';
import type { Reader } from './style.js';
import { renderTime } from './time.js';
import { JsonValue } from './value.js';
import { failureCodes } from './views/status.js';
import { moneyOf, textAt } from './views/blocks.js';
import { widthOf, wrap } from './width.js';

const GAP = '  ';
const INDENT = '    ';

interface LinePart {
  readonly text: string;
  readonly tone?: (text: string) => string;
}

export function renderEventLine(
  event: Uint8Array,
  { style, zone, width }: Pick<Reader, 'style' | 'zone' | 'width'>,
): string {
  const value = JsonValue.of(event);
  const type = textAt(value, 'type');
  const failure = value.members.get('data')?.members.get('failure');
  const reason = textAt(value, 'data', 'pending_reason');
  const mark = type.endsWith('.failed') ? 'bad' : 'good';
  const parts: LinePart[] = [
    { text: renderTime(textAt(value, 'occurred_at'), zone), tone: style.faint },
    { text: `${style.marks[mark]} ${type.padEnd('payout.confirmed'.length)}`, tone: style[mark] },
    { text: moneyOf(value, 'data').padStart(14), tone: style.strong },
    { text: textAt(value, 'data', 'method') },
    { text: failure === undefined ? '' : failureCodes(failure) },
    { text: reason === '' ? '' : `pending_reason: ${reason}` },
    { text: textAt(value, 'data', 'reference') },
    { text: textAt(value, 'data', 'id'), tone: style.faint },
  ];
  const filledParts = parts.filter(({ text }) => text !== '');
  const escapedParts = filledParts.map((part) => ({ ...part, text: escapeText(part.text) }));
  return layOutParts(escapedParts, width);
}

function layOutParts(parts: readonly LinePart[], width: number): string {
  let [wrappedText, usedWidth] = ['', 0];
  for (const { text, tone = String } of parts) {
    const isFirst = wrappedText === '';
    if (isFirst || usedWidth + GAP.length + widthOf(text) <= width) {
      wrappedText += (isFirst ? '' : GAP) + tone(text);
      usedWidth += (isFirst ? 0 : GAP.length) + widthOf(text);
      continue;
    }
    for (const line of wrap(text.trim(), Math.max(width - INDENT.length, 1))) {
      wrappedText += `\n${INDENT}${tone(line)}`;
      usedWidth = INDENT.length + widthOf(line);
    }
  }
  return `${wrappedText}\n`;
}
