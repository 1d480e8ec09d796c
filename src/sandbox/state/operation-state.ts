import { failure, isFailure } from '../../contract/failures.js';
import { fromMinor, toMinor } from '../../contract/money.js';
import { METHODS, type PendingReason } from '../../contract/operation.js';
import type { Operation } from '../../contract/operation-members.js';
import { withState, type HiddenData, type PlannedVerdict } from '../machine/operation.js';
import type { OperationState } from './document.js';
import type { Findings } from './findings.js';

export function recordOf(
  state: OperationState,
  decimals: number | undefined,
  nowMs: number,
  findings: Findings,
) {
  const { operation, internal } = state;
  const report = (text: string, name: keyof Operation): void => findings.add(text, 'operation', name);
  if (decimals === undefined) report(`The sandbox has no currency ${operation.currency}.`, 'currency');
  else {
    const minor = toMinor(operation.amount, decimals);
    if (minor === null || fromMinor(minor, decimals) !== operation.amount)
      report(`Must have ${String(decimals)} decimals.`, 'amount');
  }
  const { direction, flow } = METHODS[operation.method];
  if (direction !== operation.type) report(`${operation.method} is a method of a ${direction}.`, 'method');
  const isPayout = operation.type === 'payout';
  if ((operation.purpose !== undefined) !== isPayout)
    report(isPayout ? 'A payout must have a purpose.' : 'A pay-in has no purpose.', 'purpose');
  if (operation.expires_at !== undefined && flow !== 'payment')
    report(`${operation.method} has no window.`, 'expires_at');
  if (operation.expires_at === undefined && flow === 'payment' && operation.status === 'pending')
    report('A pay-in that waits for a payment must have this.', 'expires_at');
  if (Date.parse(operation.created_at) > nowMs)
    report('No operation is created after "now" of the state.', 'created_at');
  const hidden = hiddenOf(internal, decimals ?? 2, findings);
  const expected = expectedOperation(operation, hidden, findings);
  if (expected === null) return { operation, hidden };
  for (const name of [
    'pending_reason',
    'code_expires_at',
    'expires_at',
    'bank_reference',
    'confirmed_at',
    'failure',
  ] as const) {
    const [actual, required] = [JSON.stringify(operation[name]), JSON.stringify(expected[name])];
    if (actual !== required && (name !== 'failure' || !isSameFailure(operation, expected)))
      report(
        !Object.hasOwn(expected, name)
          ? `A ${operation.status} operation does not have this.`
          : `Must be ${required} in this state.`,
        name,
      );
  }
  checkSchedule(expected, hidden, findings);
  return { operation: expected, hidden };
}

const isSameFailure = ({ failure: a }: Operation, { failure: b }: Operation): boolean =>
  a?.code === b?.code && a?.reason === b?.reason && a?.message === b?.message;

export const msOf = (text: string | null): number | null => (text === null ? null : Date.parse(text));

function hiddenOf({ verdict, ...rest }: OperationState['internal'], decimals: number, findings: Findings) {
  const { document_type, document_number, phone, bank_code, resends } = rest;
  return {
    ...{ document_type, document_number, phone, bank_code, decimals, resends },
    code_expires_at: msOf(rest.code_expires_at),
    due_at: msOf(rest.due_at),
    verdict: verdict === null ? null : verdictOf(verdict, findings),
    settles_on_lookup: rest.settles_on_lookup,
  };
}

function verdictOf(
  { status, code, reason }: NonNullable<OperationState['internal']['verdict']>,
  findings: Findings,
): PlannedVerdict {
  if (status !== 'failed') {
    if (code !== undefined || reason !== undefined)
      findings.add(`A ${status} verdict has no code and no reason.`, 'internal', 'verdict');
    return { status };
  }
  if (code === undefined || reason === undefined || !isFailure(code, reason)) {
    findings.add('A failed verdict must have a code and a reason of it.', 'internal', 'verdict');
    return { status: 'confirmed' };
  }
  return { status, code, reason };
}

function expectedOperation(operation: Operation, hidden: HiddenData, findings: Findings): Operation | null {
  const report = (text: string, name: keyof Operation): null => {
    findings.add(text, 'operation', name);
    return null;
  };
  const atMs = Date.parse(operation.updated_at);
  if (operation.status === 'confirmed')
    return operation.bank_reference === null
      ? report('A confirmed operation must have a bank reference.', 'bank_reference')
      : withState(operation, { status: 'confirmed', bankReference: operation.bank_reference }, atMs);
  if (operation.status === 'failed') {
    const { code, reason } = operation.failure ?? {};
    return code === undefined || reason === undefined || !isFailure(code, reason)
      ? report('A failed operation must have a code and a reason of it.', 'failure')
      : withState(operation, { status: 'failed', failure: failure(code, reason) }, atMs);
  }
  const reason = operation.pending_reason;
  const possibleReasons = REASONS[METHODS[operation.method].flow];
  if (reason === null || !possibleReasons.includes(reason))
    return report(
      `Must be ${possibleReasons.map((one) => JSON.stringify(one)).join(' or ')} for a pending ${operation.method}.`,
      'pending_reason',
    );
  return withState(operation, { status: 'pending', reason, codeExpiresAt: hidden.code_expires_at }, atMs);
}

const REASONS: Readonly<Record<(typeof METHODS)[keyof typeof METHODS]['flow'], readonly PendingReason[]>> = {
  code: ['awaiting_code', 'processing'],
  payment: ['awaiting_payment'],
  bank: ['processing'],
};

function checkSchedule(operation: Operation, hidden: HiddenData, findings: Findings): void {
  const { status, pending_reason: reason } = operation;
  const report = (text: string, name: keyof HiddenData): void => findings.add(text, 'internal', name);
  const checkTime = (name: 'due_at' | 'code_expires_at', isRequired: boolean): void => {
    if ((hidden[name] !== null) === isRequired) return;
    const subject = reason === null ? `a ${status} operation` : `an operation that is ${reason}`;
    report(isRequired ? `Must be a time for ${subject}.` : `Must be null for ${subject}.`, name);
  };
  const isDecided = hidden.verdict !== null || hidden.settles_on_lookup;
  if (reason !== 'processing') checkTime('due_at', reason === 'awaiting_payment');
  else if (hidden.due_at === null && isDecided)
    report('Must be a time for an operation whose outcome is known.', 'due_at');
  if (reason === 'processing' && hidden.verdict?.status === 'pending')
    report('Must be null for an operation that is processing and has no outcome yet.', 'verdict');
  checkTime('code_expires_at', reason === 'awaiting_code');
  if (reason === 'processing') return;
  if (hidden.settles_on_lookup)
    report('Only an operation that is processing settles on a lookup.', 'settles_on_lookup');
  if (reason === null && hidden.verdict !== null) report('Must be null for a final operation.', 'verdict');
}
