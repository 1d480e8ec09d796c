/** Explains the status of an operation (contract sections 3 and 7). */
import { FAILURES, REASON_MEANINGS } from '../../contract/failures.js';
import { timeLeft } from '../../contract/on-screen.js';
import type { Reader } from '../style.js';
import type { Cell } from '../table.js';
import { renderTime } from '../time.js';
import type { JsonValue } from '../value.js';
import { textAt, valueUnder } from './blocks.js';

const WAITS = {
  awaiting_code: {
    deadlineMember: 'code_expires_at',
    waitingText: 'waiting for the code',
    overText: 'the code has expired; "svc payins resend" asks for a new one',
  },
  awaiting_payment: {
    deadlineMember: 'expires_at',
    waitingText: 'waiting for the payment',
    overText: 'the time for the payment is over',
  },
};

const PROCESSING_TEXT = 'processing, the bank has not answered yet; it resolves by itself';

const CONFIRMED_TEXTS: Readonly<Record<string, string>> = {
  payin: 'confirmed: paid',
  payout: 'confirmed: paid out',
};

export function statusInWords(operation: JsonValue, reader: Pick<Reader, 'zone' | 'nowMs'>): string {
  const reason = textAt(operation, 'pending_reason');
  const words = meaningOf(operation, reason, reader);
  return reason === '' || textAt(operation, 'status') === 'pending'
    ? words
    : `${words} (pending_reason: ${reason})`;
}

function meaningOf(operation: JsonValue, reason: string, reader: Pick<Reader, 'zone' | 'nowMs'>): string {
  const status = textAt(operation, 'status');
  if (status === 'confirmed') return valueUnder(CONFIRMED_TEXTS, textAt(operation, 'type')) ?? status;
  if (status === 'failed') {
    const failure = operation.members.get('failure');
    return failure === undefined ? status : `failed: ${explainFailure(failure)}`.replace(/: $/, '');
  }
  if (status !== 'pending' || reason === '') return status;
  return `pending: ${reason === 'processing' ? PROCESSING_TEXT : waitText(operation, reason, reader)}`;
}

function waitText(operation: JsonValue, reason: string, reader: Pick<Reader, 'zone' | 'nowMs'>): string {
  const wait = valueUnder(WAITS, reason);
  if (wait === undefined) return reason;
  const deadline = textAt(operation, wait.deadlineMember);
  if (deadline === '') return wait.waitingText;
  const remainingMs = timeLeftMs(deadline, textAt(operation, 'updated_at'), reader.nowMs);
  if (remainingMs === null) return `${wait.waitingText} until ${renderTime(deadline, reader.zone)}`;
  return remainingMs > 0 ? `${wait.waitingText}, ${timeLeft(remainingMs)} left` : wait.overText;
}

function timeLeftMs(until: string, updatedAt: string, nowMs: number | null): number | null {
  const deadlineMs = Date.parse(until);
  if (nowMs === null || Number.isNaN(deadlineMs)) return null;
  const updatedMs = Date.parse(updatedAt);
  return deadlineMs - (Number.isNaN(updatedMs) ? nowMs : Math.max(nowMs, updatedMs));
}

export function failureCodes(failure: JsonValue): string {
  const codes = [textAt(failure, 'code'), textAt(failure, 'reason')];
  return codes.filter((code) => code !== '').join(' / ');
}

export function reasonCell(code: string, reason: string): Cell {
  const words = [code, reason].filter((word, at, all) => word !== '' && all.indexOf(word) === at).join(' / ');
  return { text: words, short: reason === '' || reason === 'other' ? code : reason };
}

function explainFailure(failure: JsonValue): string {
  return [meaningOfCode(failure), meaningOfReason(failure)].filter((text) => text !== '').join(': ');
}

export function failureMessage(failure: JsonValue): string {
  const message = textAt(failure, 'message');
  const normalize = (text: string): string => text.replace(/[.]$/, '').toLowerCase();
  const meanings = [meaningOfCode(failure), meaningOfReason(failure), explainFailure(failure)];
  return meanings.map(normalize).includes(normalize(message)) ? '' : message;
}

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
