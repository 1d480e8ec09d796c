/** One readable line for an event, as it happens: time, type, amount, method, reference and a short id. */
import { escapeText } from './escape.js';
import type { Reader } from './reader.js';
import { renderTime } from './time.js';
import { JsonValue } from './value.js';
import { failureCodes } from './views/status.js';
import { money, textAt } from './views/blocks.js';

const SHORT_ID = 8;

/** Text that ends with a newline; what the event does not hold is left out. Nothing in it drives a terminal. */
export function renderEventLine(event: Uint8Array, { style, zone }: Pick<Reader, 'style' | 'zone'>): string {
  const value = JsonValue.of(event);
  const type = textAt(value, 'type');
  const failure = value.members.get('data')?.members.get('failure');
  const tone = type.endsWith('.failed') ? style.bad : style.good;
  const parts = [
    style.faint(escapeText(renderTime(textAt(value, 'occurred_at'), zone))),
    tone(escapeText(type.padEnd('payout.confirmed'.length))),
    escapeText(money(textAt(value, 'data', 'amount'), textAt(value, 'data', 'currency')).padStart(14)),
    escapeText(textAt(value, 'data', 'method')),
    escapeText(failure === undefined ? '' : failureCodes(failure)),
    escapeText(textAt(value, 'data', 'reference')),
    style.faint(escapeText(textAt(value, 'data', 'id').slice(0, SHORT_ID))),
  ];
  return `${parts.filter((part) => part !== '').join('  ')}\n`;
}
