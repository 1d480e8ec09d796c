/** One readable line for an event, as it happens: time, type, amount, method, reference and the id of the operation. */
import { escapeText } from './escape.js';
import type { Reader } from './style.js';
import { renderTime } from './time.js';
import { JsonValue } from './value.js';
import { failureCodes } from './views/status.js';
import { money, textAt } from './views/blocks.js';
import { widthOf, wrap } from './width.js';

const GAP = '  ';
/** Before what goes on beneath the line. */
const INDENT = '    ';

interface Part {
  readonly text: string;
  readonly tone?: (text: string) => string;
}

/**
 * Text that ends with a newline; what the event does not hold is left out. Nothing in it drives a terminal. What a terminal has no room
 * for goes on beneath it, in whole words.
 */
export function renderEventLine(
  event: Uint8Array,
  { style, zone, width }: Pick<Reader, 'style' | 'zone' | 'width'>,
): string {
  const value = JsonValue.of(event);
  const type = textAt(value, 'type');
  const failure = value.members.get('data')?.members.get('failure');
  const reason = textAt(value, 'data', 'pending_reason');
  const mark = type.endsWith('.failed') ? 'bad' : 'good';
  const parts: Part[] = [
    { text: renderTime(textAt(value, 'occurred_at'), zone), tone: style.faint },
    { text: `${style.marks[mark]} ${type.padEnd('payout.confirmed'.length)}`, tone: style[mark] },
    {
      text: money(textAt(value, 'data', 'amount'), textAt(value, 'data', 'currency')).padStart(14),
      tone: style.strong,
    },
    { text: textAt(value, 'data', 'method') },
    { text: failure === undefined ? '' : failureCodes(failure) },
    { text: reason === '' ? '' : `pending_reason: ${reason}` },
    { text: textAt(value, 'data', 'reference') },
    { text: textAt(value, 'data', 'id'), tone: style.faint },
  ];
  const there = parts.map((part) => ({ ...part, text: escapeText(part.text) }));
  return linesOf(
    there.filter(({ text }) => text !== ''),
    width,
  );
}

function linesOf(parts: readonly Part[], width: number): string {
  let [lines, used] = ['', 0];
  for (const { text, tone = String } of parts) {
    const isFirst = lines === '';
    if (isFirst || used + GAP.length + widthOf(text) <= width) {
      lines += (isFirst ? '' : GAP) + tone(text);
      used += (isFirst ? 0 : GAP.length) + widthOf(text);
      continue;
    }
    for (const line of wrap(text.trim(), Math.max(width - INDENT.length, 1))) {
      lines += `\n${INDENT}${tone(line)}`;
      used = INDENT.length + widthOf(line);
    }
  }
  return `${lines}\n`;
}
