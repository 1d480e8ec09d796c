/** Keeps a row from being declared unpaid while the service holds a payment that may be it. */
import { candidateText } from '../../bulk/run/candidates.js';
import type { OperationClaims } from '../../bulk/run/delivery.js';
import { findPayments } from '../../bulk/run/payment-search.js';
import type { Batch, BatchStore, ShownRow } from '../../bulk/store/batch-store.js';
import { Failure } from '../../runtime/failure.js';
import type { GlobalFlags, House } from '../base.js';
import type { Session } from '../session/session.js';
import { batchCommand } from './end.js';
import { feedOf } from './feed.js';

export interface PaymentSearch {
  readonly house: House;
  readonly flags: GlobalFlags & { readonly 'other-than'?: readonly string[] | undefined };
  readonly session: Session;
  readonly store: BatchStore;
}

/** @throws Failure `unsafe` that names every payment that may be the row's; by the table of exit codes where the events can't be read */
export async function refusePaid(batch: Batch, row: ShownRow, search: PaymentSearch): Promise<void> {
  const { house, flags, session, store } = search;
  const left = await findPayments(row, store, feedOf(session, house, flags), flags['other-than'] ?? []);
  const [first] = left;
  if (first !== undefined) throw paidAlready(batch, row, left, first, flags);
}

function paidAlready(
  batch: Batch,
  { reference }: ShownRow,
  left: readonly OperationClaims[],
  first: OperationClaims,
  flags: GlobalFlags,
): Failure {
  const lines = left.map((operation) => `  ${candidateText(operation)}, of ${operation.createdAt ?? '?'}`);
  const head = `The events hold what may be the payment of ${reference}. Nothing was changed.`;
  const end = 'Name the right one with --operation; with --other-than each that is another payment.';
  return new Failure('unsafe', [head, ...lines, end].join('\n'), {
    code: 'operation_found',
    outcome: 'not_sent',
    nextCommand: batchCommand(
      'resolve',
      batch.name,
      flags,
      ...['--reference', reference, '--operation', first.id],
    ),
  });
}
