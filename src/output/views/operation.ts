/** An operation as a person reads it: its status in words, its failure explained (sections 2.1, 3 and 7). */
import { FAILURES, REASON_MEANINGS } from '../../contract/failures.js';
import type { Pair } from '../detail.js';
import { leavesOf } from '../leaves.js';
import type { Tone } from '../style.js';
import type { JsonValue } from '../value.js';
import { money, textAt, type Block } from './blocks.js';

const LABELS: Readonly<Record<string, string>> = {
  type: 'Type',
  method: 'Method',
  country: 'Country',
  purpose: 'Purpose',
  reference: 'Reference',
  concept: 'Concept',
  bank_reference: 'Bank reference',
  confirmed_at: 'Confirmed',
  code_expires_at: 'Code valid until',
  expires_at: 'Window ends',
  created_by: 'Created by',
  created_at: 'Created',
  updated_at: 'Updated',
};

const TONES: Readonly<Record<string, Tone>> = { confirmed: 'good', failed: 'bad', pending: 'waiting' };

/** Shown at the top, in pairs of their own. */
const LEADING = new Set(['id', 'status', 'pending_reason', 'amount', 'currency', 'failure']);

/** Every member of an operation: known ones by their labels, unknown ones by their names. */
export function viewOperation(operation: JsonValue): Block[] {
  const members = operation.members;
  const known = Object.entries(LABELS).map(([name, label]): Pair => ({
    label,
    value: textAt(operation, name),
  }));
  const others = [...members]
    .filter(([name]) => !LEADING.has(name) && !Object.hasOwn(LABELS, name))
    .flatMap(([name, value]) => leavesOf(value, name))
    .filter(({ value }) => value.raw !== '{}')
    .map(({ path, value }): Pair => ({ label: path, value: value.text }));
  return [{ block: 'detail', pairs: [...leadingPairs(operation), ...known, ...others] }];
}

function leadingPairs(operation: JsonValue): Pair[] {
  const status = textAt(operation, 'status');
  const tone = Object.hasOwn(TONES, status) ? TONES[status] : undefined;
  const failure = operation.members.get('failure');
  return [
    { label: 'Id', value: textAt(operation, 'id'), whole: true },
    { label: 'Status', value: statusInWords(operation), ...(tone === undefined ? {} : { tone }) },
    ...(failure === undefined ? [] : failurePairs(failure)),
    {
      label: 'Amount',
      value: money(textAt(operation, 'amount'), textAt(operation, 'currency')),
      whole: true,
    },
  ];
}

/** What the status means; a value that is not known is shown as it is. */
function statusInWords(operation: JsonValue): string {
  const status = textAt(operation, 'status');
  const reason = textAt(operation, 'pending_reason');
  if (status === 'failed') {
    const failure = operation.members.get('failure');
    return failure === undefined ? status : `failed: ${explain(failure)}`.replace(/: $/, '');
  }
  if (status !== 'pending' || reason === '') return status;
  return `pending: ${waitingFor(operation, reason)}`;
}

function waitingFor(operation: JsonValue, reason: string): string {
  const until = (name: string): string => {
    const time = textAt(operation, name);
    return time === '' ? '' : ` until ${time}`;
  };
  if (reason === 'awaiting_code') return `waiting for the code${until('code_expires_at')}`;
  if (reason === 'awaiting_payment') return `waiting for the payment${until('expires_at')}`;
  if (reason === 'processing') return 'the bank has not answered yet; it resolves by itself';
  return reason;
}

function failurePairs(failure: JsonValue): Pair[] {
  if (failure.kind !== 'object') return [{ label: 'Failure', value: failure.text }];
  return [
    { label: 'Failure', value: failureCodes(failure) },
    { label: 'Message', value: textAt(failure, 'message') },
  ];
}

/** The code and the reason beneath it, as the service names them. */
export function failureCodes(failure: JsonValue): string {
  const codes = [textAt(failure, 'code'), textAt(failure, 'reason')];
  return codes.filter((code) => code !== '').join(' / ');
}

/** What the code means, and the reason beneath it where that says more. */
function explain(failure: JsonValue): string {
  const [code, reason] = [textAt(failure, 'code'), textAt(failure, 'reason')];
  const meaning = Object.hasOwn(FAILURES, code) ? FAILURES[code as keyof typeof FAILURES].meaning : code;
  if (reason === '' || reason === 'other' || reason === code) return meaning;
  const motive = Object.hasOwn(REASON_MEANINGS, reason)
    ? REASON_MEANINGS[reason as keyof typeof REASON_MEANINGS]
    : reason;
  return meaning === '' ? motive : `${meaning}: ${motive}`;
}
