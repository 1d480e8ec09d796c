/** One operation of a kept sandbox: whether its members fit its state, so that time and callers can go on with it. Pure. */
import { failure, isFailure } from '../../contract/failures.js';
import { fromMinor, toMinor } from '../../contract/money.js';
import { METHODS, type PendingReason } from '../../contract/operation.js';
import type { Operation } from '../../contract/operation-members.js';
import { revise, type PlannedVerdict, type HiddenFacts, type OperationRecord } from '../machine/operation.js';
import type { OperationState } from './document.js';
import type { Findings } from './findings.js';

/**
 * The operation as the sandbox holds it, in the order of members in which the service writes them.
 * @param decimals of its currency; undefined for one that the catalog does not have
 */
export function heldOf(
  { operation, internal }: OperationState,
  decimals: number | undefined,
  findings: Findings,
): OperationRecord {
  const own = (text: string, name: keyof Operation): void => findings.add(text, 'operation', name);
  if (decimals === undefined) own(`The sandbox has no currency ${operation.currency}.`, 'currency');
  else {
    const minor = toMinor(operation.amount, decimals);
    if (minor === null || fromMinor(minor, decimals) !== operation.amount)
      own(`Must have ${String(decimals)} decimals.`, 'amount');
  }
  const { direction, flow } = METHODS[operation.method];
  if (direction !== operation.type) own(`${operation.method} is a method of a ${direction}.`, 'method');
  if ((operation.purpose !== undefined) !== (operation.type === 'payout'))
    own(
      operation.type === 'payout' ? 'A payout must have a purpose.' : 'A pay-in has no purpose.',
      'purpose',
    );
  if ((operation.expires_at !== undefined) !== (flow === 'payment'))
    own(
      flow === 'payment'
        ? 'A pay-in that waits for a payment must have this.'
        : `${operation.method} has no window.`,
      'expires_at',
    );
  const hidden = hiddenOf(internal, decimals ?? 2, findings);
  const expected = expectedOf(operation, hidden, findings);
  if (expected === null) return { operation, hidden };
  for (const name of COMPARED) {
    const [is, should] = [JSON.stringify(operation[name]), JSON.stringify(expected[name])];
    if (is !== should && (name !== 'failure' || !isSameFailure(operation, expected)))
      own(
        !Object.hasOwn(expected, name)
          ? `A ${operation.status} operation does not have this.`
          : `Must be ${should} in this state.`,
        name,
      );
  }
  checkComing(expected, hidden, findings);
  return { operation: expected, hidden };
}

/** What follows from the state; everything else is as it was made. */
const COMPARED = [
  'pending_reason',
  'code_expires_at',
  'expires_at',
  'bank_reference',
  'confirmed_at',
  'failure',
] as const satisfies readonly (keyof Operation)[];

function isSameFailure({ failure: a }: Operation, { failure: b }: Operation): boolean {
  return a?.code === b?.code && a?.reason === b?.reason && a?.message === b?.message;
}

function hiddenOf(
  { verdict, ...rest }: OperationState['internal'],
  decimals: number,
  findings: Findings,
): HiddenFacts {
  const ms = (text: string | null): number | null => (text === null ? null : Date.parse(text));
  const { document_type, document_number, phone, bank_code, resends } = rest;
  return {
    ...{ document_type, document_number, phone, bank_code, decimals, resends },
    code_expires_at: ms(rest.code_expires_at),
    due_at: ms(rest.due_at),
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

/** The operation that has this state; null where the state itself is wrong. */
function expectedOf(operation: Operation, hidden: HiddenFacts, findings: Findings): Operation | null {
  const own = (text: string, name: keyof Operation): null => {
    findings.add(text, 'operation', name);
    return null;
  };
  const ms = Date.parse(operation.updated_at);
  if (operation.status === 'confirmed')
    return operation.bank_reference === null
      ? own('A confirmed operation must have a bank reference.', 'bank_reference')
      : revise(operation, { status: 'confirmed', bankReference: operation.bank_reference }, ms);
  if (operation.status === 'failed') {
    const { code, reason } = operation.failure ?? {};
    return code === undefined || reason === undefined || !isFailure(code, reason)
      ? own('A failed operation must have a code and a reason of it.', 'failure')
      : revise(operation, { status: 'failed', failure: failure(code, reason) }, ms);
  }
  const reason = operation.pending_reason;
  const possible = REASONS[METHODS[operation.method].flow];
  if (reason === null || !possible.includes(reason))
    return own(
      `Must be ${possible.map((one) => JSON.stringify(one)).join(' or ')} for a pending ${operation.method}.`,
      'pending_reason',
    );
  const { code_expires_at: codeExpiresAt } = hidden;
  return revise(
    operation,
    { status: 'pending', reason, ...(codeExpiresAt === null ? {} : { codeExpiresAt }) },
    ms,
  );
}

const REASONS: Readonly<Record<(typeof METHODS)[keyof typeof METHODS]['flow'], readonly PendingReason[]>> = {
  code: ['awaiting_code', 'processing'],
  payment: ['awaiting_payment'],
  bank: ['processing'],
};

/**
 * What comes by itself: without it an operation would wait for ever, and with too much of it time could not go on. One that is processing may
 * wait for somebody to settle it; then nothing else is to come.
 */
function checkComing(
  { status, pending_reason: reason }: Operation,
  hidden: HiddenFacts,
  findings: Findings,
): void {
  const is = (name: 'due_at' | 'code_expires_at', isWanted: boolean): void => {
    if ((hidden[name] !== null) === isWanted) return;
    const of = reason === null ? `a ${status} operation` : `an operation that is ${reason}`;
    findings.add(isWanted ? `Must be a time for ${of}.` : `Must be null for ${of}.`, 'internal', name);
  };
  const isKnown = hidden.verdict !== null || hidden.settles_on_lookup;
  if (reason !== 'processing') is('due_at', reason === 'awaiting_payment');
  else if (hidden.due_at === null && isKnown)
    findings.add('Must be a time for an operation whose outcome is known.', 'internal', 'due_at');
  if (reason === 'processing' && hidden.verdict?.status === 'pending')
    findings.add(
      'Must be null for an operation that is processing and has no outcome yet.',
      'internal',
      'verdict',
    );
  is('code_expires_at', reason === 'awaiting_code');
  if (reason === 'processing') return;
  if (hidden.settles_on_lookup)
    findings.add(
      'Only an operation that is processing settles on a lookup.',
      'internal',
      'settles_on_lookup',
    );
  if (reason === null && hidden.verdict !== null)
    findings.add('Must be null for a final operation.', 'internal', 'verdict');
}
