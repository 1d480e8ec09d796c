/** How a batch stands: its summary, and what a run of it ends with. */
import type { Stop } from '../../bulk/run/brake.js';
import { counts, moneyOf, stateCounts } from '../../bulk/tally.js';
import { SENDABLE, type Count } from '../../bulk/row-state.js';
import type { Batch, BatchTotals, TallyEntry } from '../../bulk/store/batch-store.js';
import { Failure, type FailureKind } from '../../runtime/failure.js';
import { whereFlags, type Where } from '../call/next.js';
import { commandLine } from '../line/shell.js';

/** The object that a run ends with (`--json`). */
export type Summary = { readonly batch: string; readonly rows: number } & Readonly<Record<Count, number>> & {
    readonly totals: ReturnType<typeof moneyOf>;
    readonly resume_command: string | null;
    /** Rows by state: finer than the counts. */
    readonly states: ReturnType<typeof stateCounts>;
  };

export function summaryOf(
  name: string,
  totals: Pick<BatchTotals, 'rows' | 'currencies'>,
  tally: readonly TallyEntry[],
  where: Where,
): Summary {
  const states = stateCounts(tally);
  const isOpen = SENDABLE.some((state) => (states[state] ?? 0) > 0);
  return {
    batch: name,
    rows: totals.rows,
    ...counts(tally),
    totals: moneyOf(totals, tally),
    resume_command: isOpen ? batchCommand('resume', name, where) : null,
    states,
  };
}

/** A command about the batch that can be pasted. */
export function batchCommand(verb: string, name: string, where: Where, ...words: string[]): string {
  return commandLine(['svc', 'batches', verb, name, ...words, ...whereFlags(where)]);
}

/** What a run ends with; null where every row is confirmed or under way. @param isStillPending `--wait` ran out */
export function endingOf(
  batch: Batch,
  summary: Summary,
  stop: Stop | null,
  isStillPending: boolean,
  where: Where,
): Failure | null {
  const { states, resume_command: resume } = summary;
  const of = (...names: (keyof typeof states)[]): number =>
    names.reduce((sum, name) => sum + (states[name] ?? 0), 0);
  const end = (
    kind: FailureKind,
    code: string,
    message: string,
    next: string | null,
    outcome: 'sent' | 'unknown' = 'sent',
  ) =>
    new Failure(kind, `Batch ${batch.name}: ${whyOf(stop)}${message}`, {
      code,
      outcome,
      retryable: kind === 'unavailable',
      nextCommand: next ?? undefined,
    });
  const [unknown, review] = [of('intent', 'unknown'), of('needs_review')];
  const open = unknown + review;
  if (stop?.kind === 'denied') {
    return end(
      'no_access',
      stop.code,
      `the key is refused. ${rest(open, summary)}`,
      resume,
      open > 0 ? 'unknown' : 'sent',
    );
  }
  if (unknown > 0) {
    const text = `the outcome of ${rowsText(unknown)} is unknown. Resume it: the same keys pay nothing twice.`;
    return end('unknown_outcome', 'outcome_unknown', text, resume, 'unknown');
  }
  if (review > 0) {
    const text = `${rowsText(review)} need a person, who sees what is known with the command below and decides with "svc batches resolve".`;
    const next = batchCommand('export', batch.name, where, '--state', 'needs_review');
    return end('unknown_outcome', 'needs_review', text, next, 'unknown');
  }
  if (of('unavailable') > 0 || stop?.kind === 'silence') {
    const text = `the service did not take ${rowsText(of('unavailable'))} for the moment. Nothing of them was carried out.`;
    return end('unavailable', 'temporarily_unavailable', text, resume);
  }
  const failed = of('failed', 'rejected', 'conflict');
  if (failed > 0) {
    const text = `${of('failed')} failed, ${of('rejected')} rejected, ${of('conflict')} refused as another request. Nothing of them was paid.`;
    return end('rows_failed', 'rows_failed', text, resume ?? batchCommand('export', batch.name, where));
  }
  if (isStillPending) {
    const text = `${rowsText(of('accepted'))} are still pending.`;
    return end('pending', 'still_pending', text, batchCommand('resume', batch.name, where, '--wait'));
  }
  return null;
}

/** What a person reads first where a run stopped before its end. */
function whyOf(stop: Stop | null): string {
  if (stop === null || stop.kind === 'signal' || stop.kind === 'denied') return '';
  if (stop.kind === 'silence') return 'stopped, because row after row was not answered; ';
  const detail = stop.detail === '' ? '' : ` (${stop.detail})`;
  return `stopped after five equal refusals in a row, ${stop.code}${detail}; `;
}

function rest(open: number, { not_sent: notSent }: Summary): string {
  const unknown = open === 0 ? '' : ` The outcome of ${rowsText(open)} is unknown.`;
  return `${rowsText(notSent)} were not sent.${unknown} Mend the key, then resume.`;
}

function rowsText(count: number): string {
  return count === 1 ? 'one row' : `${count} rows`;
}
