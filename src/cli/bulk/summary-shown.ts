/** Prints how a batch stands: one object for a script; a person reads as well which rows were not paid, why, and what to do. */
import { adviceFor } from '../../bulk/advice.js';
import { RETRIABLE } from '../../bulk/row-state.js';
import type { Batch } from '../../bulk/store/batch.js';
import type { BatchStore } from '../../bulk/store/batch-store.js';
import type { Where } from '../line/where.js';
import type { Printer } from '../printing/printer.js';
import { batchCommand, type Summary } from './end.js';

/** So many rows are shown; the rest by the command beneath them. */
const SHOWN_ROWS = 20;

export interface ShownBatch {
  readonly batch: Batch;
  readonly store: Pick<BatchStore, 'rows'>;
  readonly where: Where;
}

/** @param more members that stand behind those of the summary */
export async function printSummary(
  summary: Summary,
  { batch, store, where }: ShownBatch,
  printer: Pick<Printer, 'mode' | 'answer'>,
  more: object = {},
): Promise<void> {
  const shown =
    printer.mode === 'table'
      ? {
          environment: batch.environment,
          ...summary,
          ...more,
          ...(await problemsOf(summary, batch, store, where)),
        }
      : { ...summary, ...more };
  await printer.answer(Buffer.from(JSON.stringify(shown)));
}

async function problemsOf(
  { failed, rejected }: Summary,
  { id, name }: Batch,
  store: ShownBatch['store'],
  where: Where,
): Promise<object> {
  const count = failed + rejected;
  if (count === 0) return {};
  const rows = await store.rows(id, -1, SHOWN_ROWS, RETRIABLE);
  const problems = rows.map(({ line, reference, amount, currency, code, detail }) => ({
    ...{ line, reference, amount, currency },
    ...adviceFor({ code, detail }),
  }));
  const left = count - rows.length;
  return {
    problems,
    retry_command: batchCommand('retry', name, where, '--failed'),
    ...(left > 0
      ? {
          problems_left: left,
          problems_command: batchCommand('export', name, where, '--state', 'failed,rejected'),
        }
      : {}),
  };
}
