import { counted } from '../contract/on-screen.js';
import { counts, moneyByCurrency, pendingReasons, stateCounts } from '../storage/batches/tally.js';
import { isOneOf, SENDABLE, type Count } from '../storage/batches/row-state.js';
import type { Batch } from '../storage/batches/batch-store.js';
import type { TallyEntry } from '../storage/batches/row.js';
import { momentText } from '../contract/notation.js';
import { isFinal } from '../contract/operation.js';
import { PlanDamaged, type PlanHead, readHead, type SkippedPending } from './approval/plan/format.js';
import { Failure, type FailureKind } from '../runtime/failure.js';
import { listLine } from '../payments/refusals.js';
import { whereFlags, type Where } from '../session/place-flags.js';
import { svcLine } from '../runtime/shell.js';
import type { Stop } from '../storage/batches/worker.js';

export type Summary = { readonly batch: string; readonly rows: number } & Readonly<Record<Count, number>> & {
    readonly totals: ReturnType<typeof moneyByCurrency>;
    readonly resume_command: string | null;
    readonly new_since?: string;
    readonly states: ReturnType<typeof stateCounts>;
    readonly pending_reasons?: Readonly<Record<string, number>>;
    readonly skipped_pending?: readonly SkippedPayment[];
    readonly stopped?: StopFacts;
  };

export function summaryOf(
  name: string,
  batch: Pick<Batch, 'rows' | 'currencies' | 'sinceMs'>,
  tally: readonly TallyEntry[],
  where: Where,
): Summary {
  const isOpen = tally.some(({ state }) => isOneOf(SENDABLE, state));
  return {
    batch: name,
    rows: batch.rows,
    ...counts(tally),
    totals: moneyByCurrency(batch, tally),
    resume_command: isOpen ? batchCommand('resume', name, where) : null,
    ...(batch.sinceMs === null ? {} : { new_since: momentText(batch.sinceMs) }),
    states: stateCounts(tally),
    ...(tally.some(({ reason }) => reason !== null) ? { pending_reasons: pendingReasons(tally) } : {}),
  };
}

export type SkippedPayment = SkippedPending & { readonly status: string };

export function planHeadOf({ approval }: Pick<Batch, 'approval'>): PlanHead | null {
  try {
    return approval === null ? null : readHead(approval.head);
  } catch (error) {
    if (error instanceof PlanDamaged) return null;
    throw error;
  }
}

export function batchCommand(verb: string, name: string, where: Where, ...words: string[]): string {
  return svcLine(`batches ${verb}`, [...words, ...whereFlags(where)], [name]);
}

export type StopFacts = Readonly<Record<'by' | 'at' | 'code' | 'detail', string | null>> & {
  readonly reason: Stop['kind'];
};

export function stopFacts({ kind, by, at, ...why }: Stop): StopFacts {
  return { by: by ?? null, at: at ?? null, reason: kind, code: null, detail: null, ...why };
}

interface BatchEnd {
  readonly batch: Batch;
  readonly summary: Summary;
  readonly tally: readonly TallyEntry[];
  readonly stop: Stop | null;
  readonly isStillPending: boolean;
  readonly isRetry: boolean;
  readonly where: Where;
}

export function failureOfEnd(batchEnd: BatchEnd): Failure | null {
  const { batch, summary, tally, stop, isStillPending, isRetry, where } = batchEnd;
  const { states, resume_command: resume, skipped_pending: skippedPayments = [] } = summary;
  const countOf = (...names: (keyof typeof states)[]): number =>
    names.reduce((sum, name) => sum + (states[name] ?? 0), 0);
  const [unknownRows, reviewRows] = [countOf('intent', 'unknown'), countOf('needs_review')];
  const undecidedRows = unknownRows + reviewRows;
  const failureOf = (
    kind: FailureKind,
    code: string,
    message: string,
    next: string | null,
    advice?: string[],
  ) =>
    new Failure(kind, `Batch ${batch.name}: ${stopPrefix(stop)}${message}`, {
      code,
      outcome: kind === 'unknown_outcome' || (kind === 'no_access' && undecidedRows > 0) ? 'unknown' : 'sent',
      retryable: kind === 'unavailable' && !isRetry,
      nextCommand: next ?? undefined,
      advice,
    });
  const exportCommand = (...words: string[]): string => batchCommand('export', batch.name, where, ...words);
  if (stop?.kind === 'denied') {
    const refusedKey = stop.by === undefined ? 'the key' : `the key of ${stop.by}`;
    const { not_sent: notSent } = summary;
    const undecidedText =
      undecidedRows === 0 ? '' : ` The outcome of ${counted(undecidedRows, 'row')} is unknown.`;
    const text = `the service refused ${refusedKey}. ${counted(notSent, 'row')} ${wasOrWere(notSent)} not sent.${undecidedText} Correct the key, then resume.`;
    return failureOf('no_access', stop.code, text, resume);
  }
  if (unknownRows > 0) {
    const text = `the outcome of ${counted(unknownRows, 'row')} is unknown: money may have moved. Resume the batch: the same keys pay nothing twice.`;
    return failureOf('unknown_outcome', 'outcome_unknown', text, resume);
  }
  if (reviewRows > 0) {
    const text = `${counted(reviewRows, 'row')} ${reviewRows === 1 ? 'needs' : 'need'} a person.`;
    const exportLine = exportCommand('--state', 'needs_review');
    return failureOf('unknown_outcome', 'needs_review', text, exportLine, decisionLines(batch.name, where));
  }
  if (countOf('unavailable') > 0 || stop?.kind === 'silence') {
    const text = `the service could not take ${counted(countOf('unavailable'), 'row')}. Nothing was paid for them. Resume the batch later.`;
    return failureOf('unavailable', 'temporarily_unavailable', text, resume);
  }
  if (isRetry && countOf('planned') > 0) {
    const text = `${counted(countOf('planned'), 'row')} ${wasOrWere(countOf('planned'))} not sent: a retry sends failed and rejected rows alone. Resume the batch.`;
    return failureOf('unavailable', 'rows_not_sent', text, resume);
  }
  const earlierRows = tally
    .filter(({ state, isSkipped }) => state === 'earlier' && !isSkipped)
    .reduce((sum, { rows }) => sum + rows, 0);
  const [failedCount, rejectedCount] = [countOf('failed'), countOf('rejected')];
  const has = earlierRows === 1 ? 'has' : 'have';
  const unpaidGroups = (
    [
      ['failed', failedCount, `failed and ${wasOrWere(failedCount)} not paid.`],
      ['rejected', rejectedCount, `${wasOrWere(rejectedCount)} rejected and not paid.`],
      ['earlier', earlierRows, `${has} an older payment; svc paid nothing new for them.`],
    ] as const
  ).filter(([, rows]) => rows > 0);
  if (unpaidGroups.length > 0) {
    const stateList = unpaidGroups.map(([state]) => state).join(',');
    const text = unpaidGroups.map(([, rows, what]) => `${counted(rows, 'row')} ${what}`).join(' ');
    return failureOf('rows_failed', 'rows_failed', text, resume ?? exportCommand('--state', stateList));
  }
  const failedPayment = skippedPayments.find(({ status }) => status === 'failed');
  if (failedPayment !== undefined) {
    const { reference, operation } = failedPayment;
    const text = `the payment for which the plan left out ${reference} failed (operation ${operation}): it is not paid, and is in no batch. Make a new plan of it.`;
    return failureOf('rows_failed', 'rows_failed', text, resume ?? listLine(reference, where));
  }
  if (isStillPending) {
    const pendingCount = summary.pending + skippedPayments.filter(({ status }) => !isFinal(status)).length;
    const text = `${counted(pendingCount, 'row')} ${pendingCount === 1 ? 'is' : 'are'} still pending.`;
    return failureOf('pending', 'still_pending', text, batchCommand('resume', batch.name, where, '--wait'));
  }
  return null;
}

export function decisionLines(name: string, where: Where): string[] {
  const line = batchCommand('resolve', name, where, '--reference', 'REF', '--operation', 'ID');
  return [
    `To ask the service again: ${batchCommand('resume', name, where)}`,
    `To record the outcome of a row: ${line}, or --not-paid instead of --operation ID`,
  ];
}

export function failureAfterRefusal(end: BatchEnd, refusal: Failure): Failure {
  const endFailure = failureOfEnd(end);
  if (endFailure?.kind === 'unknown_outcome' || endFailure?.kind === 'no_access') return endFailure;
  const notSent = end.summary.not_sent;
  const why = refusal.head.replace(' Nothing was sent.', '');
  const text = `Batch ${end.batch.name}: stopped, and ${counted(notSent, 'row')} ${wasOrWere(notSent)} not sent. ${why}`;
  return new Failure(refusal.kind, text, { ...refusal.facts, outcome: 'sent' });
}

function wasOrWere(count: number): string {
  return count === 1 ? 'was' : 'were';
}

function stopPrefix(stop: Stop | null): string {
  if (stop === null || stop.kind === 'signal' || stop.kind === 'denied') return '';
  const by = stop.by === undefined ? '' : ` by ${stop.by}`;
  if (stop.kind === 'silence') return `stopped${by}, because the service left row after row unanswered; `;
  if (stop.kind === 'older')
    return (
      `stopped${by}, because the service answered five rows in a row with older payments: they were paid before, or its clocks ` +
      'disagree; '
    );
  const detail = stop.detail === '' ? '' : ` (${stop.detail})`;
  return `stopped${by} after five equal answers in a row, ${stop.code}${detail}; `;
}
