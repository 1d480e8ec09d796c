/** How a reconciliation ends, in a sentence. Pure. */
import { FINDING_CLASSES, type Reconciliation, classWords } from '../../reconcile/finding.js';
import type { Settled } from '../../reconcile/match/reconciling.js';
import { Failure } from '../../runtime/failure.js';

/** What was printed before says it line by line; where it went into a file, this is all that a person sees. */
export function differs({ sums }: Reconciliation, withinTolerance: number): Failure {
  const parts = FINDING_CLASSES.flatMap((kind) => {
    const own = sums.filter((sum) => sum.class === kind);
    if (kind === 'matched' || own.length === 0) return [];
    const lines = own.reduce((sum, { here }) => sum + here.count, 0);
    const operations = own.reduce((sum, { there }) => sum + there.count, 0);
    return [`${classWords(kind)}: ${sides(lines, operations)}`];
  });
  return new Failure('differs', 'Your file and the service differ. Nothing was sent.', {
    items: parts,
    advice: withinTolerance > 0 ? [withinText(withinTolerance)] : [],
  });
}

function withinText(count: number): string {
  return `${counted(count, 'line')} matched within a tolerance: --all lists them.`;
}

export function agreement(
  { lines, operations }: Pick<Reconciliation, 'lines' | 'operations'>,
  withinTolerance: number,
): string {
  const within = withinTolerance > 0 ? ` ${withinText(withinTolerance)}` : '';
  return `Your file and the service agree: ${sides(lines, operations)}.${within}`;
}

/** What was not compared, and why; null where that is nothing. */
export function leftOutText({ outside, failed }: Pick<Reconciliation, 'outside' | 'failed'>): string | null {
  const { lines, operations } = outside;
  const parts = [
    ...(lines + operations > 0
      ? [`${sides(lines, operations)} outside the days or direction you asked for`]
      : []),
    ...(failed > 0 ? [`${counted(failed, 'failed operation')} that your file does not name`] : []),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

function sides(lines: number, operations: number): string {
  const parts = [counted(lines, 'line'), counted(operations, 'operation')];
  return lines === 0 || operations === 0 ? (parts[lines === 0 ? 1 : 0] ?? '') : parts.join(' and ');
}

function counted(count: number, one: string): string {
  return `${String(count)} ${one}${count === 1 ? '' : 's'}`;
}

/** A line that names no currency, where nothing else does. */
export function noCurrency({ line, currencies }: Extract<Settled, { kind: 'no_currency' }>): Failure {
  const there =
    currencies.length === 0 ? 'The service has no operations' : `The service has ${currencies.join(' and ')}`;
  return new Failure(
    'usage',
    `Line ${String(line)} has no currency. ${there}. Add --currency. Nothing was reconciled.`,
  );
}
