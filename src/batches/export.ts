import { rowBlocks } from '../storage/batches/row-blocks.js';
import type { ShownRow } from '../storage/batches/row.js';
import { isOneOf, OPEN_STATES, type RowState } from '../storage/batches/row-state.js';
import { renderNote } from '../output/error-prose.js';
import { isoSeconds } from '../runtime/clock.js';
import type { Run } from '../command/command.js';
import { requireBatch } from './open-batch.js';
import { printerOfAnything } from '../command/printer.js';

const COLUMNS = [
  ...(['line', 'reference', 'amount', 'currency', 'state', 'operation_id', 'operation_created_at'] as const),
  ...(['code', 'detail', 'sent_at', 'idempotency_key'] as const),
] satisfies readonly (keyof ReturnType<typeof exportedRow>)[];

export async function exportBatch(run: Run, name: string, states: readonly RowState[]): Promise<void> {
  const { ports, flags } = run;
  const isFormAsked = flags.json || flags.output !== undefined || flags.jq !== undefined;
  const formFlags = isFormAsked ? flags : { ...flags, output: ports.output.isTTY ? 'table' : 'csv' };
  const printer = await printerOfAnything(ports, formFlags, 'rows', {
    columns: COLUMNS,
    render: async () => (await import('./view.js')).renderBatchList,
  });
  const stores = await run.app.stores();
  await using store = await stores.openBatches();
  const batch = await requireBatch(store, name, stores);
  const pages = rowBlocks((...range) => store.rows(batch.id, ...range, states));
  if (printer.mode !== 'json') {
    let isEmpty = true;
    for await (const page of pages) {
      isEmpty = false;
      await printer.answer(Buffer.from(JSON.stringify({ rows: page.map(exportedRow) })));
    }
    if (isEmpty) await printer.answer(Buffer.from('{"rows":[]}'));
    if (!isEmpty || flags.quiet) return;
    const tally = await store.tally(batch.id);
    const openStates = OPEN_STATES.filter((state) => tally.some((entry) => entry.state === state));
    if (openStates.length === 0 || !states.some((state) => isOneOf(OPEN_STATES, state))) return;
    const text = `Other rows have an unknown outcome: add --state ${openStates.join(',')}`;
    await ports.errors.write(renderNote(text, ports.errors));
    return;
  }
  const rows = [];
  for await (const page of pages) rows.push(...page.map(exportedRow));
  await printer.answer(Buffer.from(JSON.stringify({ rows })));
}

function exportedRow(row: ShownRow) {
  const { line, reference, amount, currency, state, operation, code, detail } = row;
  return {
    ...{ line, reference, amount, currency, state },
    operation_id: operation ?? '',
    operation_created_at: row.operationAtMs === null ? '' : isoSeconds(row.operationAtMs),
    ...{ code: code ?? '', detail: detail ?? '' },
    sent_at: row.sentAtMs === null ? '' : isoSeconds(row.sentAtMs),
    idempotency_key: row.key,
  };
}
