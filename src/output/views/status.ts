/** The status of an operation in words: what it waits for and how long yet, how it ended, and why it failed (sections 3 and 7). */
import { FAILURES, REASON_MEANINGS } from '../../contract/failures.js';
import { timeLeft } from '../../contract/on-screen.js';
import type { Reader } from '../style.js';
import type { Cell } from '../table.js';
import { renderTime } from '../time.js';
import type { JsonValue } from '../value.js';
import { textAt, valueUnder } from './blocks.js';

/** What is counted down, in the words for a reason to wait: while it lasts, and once it is over. */
const WAITS: Readonly<
  Record<string, { readonly until: string; readonly waits: string; readonly over: string }>
> = {
  awaiting_code: {
    until: 'code_expires_at',
    waits: 'waiting for the code',
    over: 'the code has expired; "svc payins resend" asks for a new one',
  },
  awaiting_payment: {
    until: 'expires_at',
    waits: 'waiting for the payment',
    over: 'the time for the payment is over',
  },
};

const PROCESSING = 'processing, the bank has not answered yet; it resolves by itself';

/** What an end without a failure means for the money. */
const CONFIRMED: Readonly<Record<string, string>> = {
  payin: 'confirmed: paid',
  payout: 'confirmed: paid out',
};

/** What the status means; a value that is not known is shown as it is, and so is a reason to wait where nothing is waited for. */
export function statusInWords(operation: JsonValue, reader: Pick<Reader, 'zone' | 'nowMs'>): string {
  const reason = textAt(operation, 'pending_reason');
  const words = meaningOf(operation, reason, reader);
  return reason === '' || textAt(operation, 'status') === 'pending'
    ? words
    : `${words} (pending_reason: ${reason})`;
}

function meaningOf(operation: JsonValue, reason: string, reader: Pick<Reader, 'zone' | 'nowMs'>): string {
  const status = textAt(operation, 'status');
  if (status === 'confirmed') return valueUnder(CONFIRMED, textAt(operation, 'type')) ?? status;
  if (status === 'failed') {
    const failure = operation.members.get('failure');
    return failure === undefined ? status : `failed: ${explain(failure)}`.replace(/: $/, '');
  }
  if (status !== 'pending' || reason === '') return status;
  return `pending: ${reason === 'processing' ? PROCESSING : waitingFor(operation, reason, reader)}`;
}

function waitingFor(operation: JsonValue, reason: string, reader: Pick<Reader, 'zone' | 'nowMs'>): string {
  const wait = valueUnder(WAITS, reason);
  if (wait === undefined) return reason;
  const until = textAt(operation, wait.until);
  if (until === '') return wait.waits;
  const leftMs = leftOf(until, textAt(operation, 'updated_at'), reader.nowMs);
  if (leftMs === null) return `${wait.waits} until ${renderTime(until, reader.zone)}`;
  return leftMs > 0 ? `${wait.waits}, ${timeLeft(leftMs)} left` : wait.over;
}

/**
 * How long that moment is off by the service's clock; null where its answer did not say what time it was. It was not answered before
 * it was last changed, whatever a proxy makes of the date.
 */
function leftOf(until: string, updatedAt: string, nowMs: number | null): number | null {
  const endsMs = Date.parse(until);
  if (nowMs === null || Number.isNaN(endsMs)) return null;
  const changedMs = Date.parse(updatedAt);
  return endsMs - (Number.isNaN(changedMs) ? nowMs : Math.max(nowMs, changedMs));
}

/** The code and the reason beneath it, as the service names them. */
export function failureCodes(failure: JsonValue): string {
  const codes = [textAt(failure, 'code'), textAt(failure, 'reason')];
  return codes.filter((code) => code !== '').join(' / ');
}

/** Both, or where there is no room what says more: the reason. */
export function reasonCell(code: string, reason: string): Cell {
  const both = [code, reason].filter((word, at, all) => word !== '' && all.indexOf(word) === at).join(' / ');
  return { text: both, short: reason === '' || reason === 'other' ? code : reason };
}

/** What the code means, and the reason beneath it where that says more. */
function explain(failure: JsonValue): string {
  return [meaningOfCode(failure), meaningOfReason(failure)].filter((text) => text !== '').join(': ');
}

/** What the service says of it, where the status does not say the same. */
export function failureMessage(failure: JsonValue): string {
  const message = textAt(failure, 'message');
  const plain = (text: string): string => text.replace(/[.]$/, '').toLowerCase();
  const said = [meaningOfCode(failure), meaningOfReason(failure), explain(failure)];
  return said.map(plain).includes(plain(message)) ? '' : message;
}

/** Empty where each of its reasons says all of it. */
function meaningOfCode(failure: JsonValue): string {
  const code = textAt(failure, 'code');
  if (code === 'code_rejected' && meaningOfReason(failure) !== '') return '';
  return valueUnder(FAILURES, code)?.meaning ?? code;
}

function meaningOfReason(failure: JsonValue): string {
  const [code, reason] = [textAt(failure, 'code'), textAt(failure, 'reason')];
  if (reason === 'other' || reason === code) return '';
  return valueUnder(REASON_MEANINGS, reason) ?? reason;
}
