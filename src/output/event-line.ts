/** One readable line for an event, as it happens: time, type, amount, method, reference and the id of the operation. */
import { escapeText } from './escape.js';
import type { Reader } from './reader.js';
import { renderTime } from './time.js';
import { JsonValue } from './value.js';
import { failureCodes } from './views/status.js';
import { money, textAt } from './views/blocks.js';

/** Text that ends with a newline; what the event does not hold is left out. Nothing in it drives a terminal. */
export function renderEventLine(event: Uint8Array, { style, zone }: Pick<Reader, 'style' | 'zone'>): string {
  const value = JsonValue.of(event);
  const type = textAt(value, 'type');
  const failure = value.members.get('data')?.members.get('failure');
  const reason = textAt(value, 'data', 'pending_reason');
  const mark = type.endsWith('.failed') ? 'bad' : 'good';
  const parts = [
    style.faint(escapeText(renderTime(textAt(value, 'occurred_at'), zone))),
    style[mark](`${style.marks[mark]} ${escapeText(type.padEnd('payout.confirmed'.length))}`),
    style.strong(
      escapeText(money(textAt(value, 'data', 'amount'), textAt(value, 'data', 'currency')).padStart(14)),
    ),
    escapeText(textAt(value, 'data', 'method')),
    escapeText(failure === undefined ? '' : failureCodes(failure)),
    reason === '' ? '' : `pending_reason: ${escapeText(reason)}`,
    escapeText(textAt(value, 'data', 'reference')),
    style.faint(escapeText(textAt(value, 'data', 'id'))),
  ];
  return `${parts.filter((part) => part !== '').join('  ')}\n`;
}
