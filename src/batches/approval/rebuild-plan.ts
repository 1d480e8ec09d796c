import { deriveKey } from '../../payments/known/key.js';
import { ROW_STATES } from '../../storage/batches/row-state.js';
import type { BatchStore } from '../../storage/batches/batch-store.js';
import type { Batch, BatchApproval } from '../../storage/batches/batch.js';
import { rowBlocks } from '../../storage/batches/row-blocks.js';
import type { ClaimedRow } from '../../storage/batches/row.js';
import { momentText } from '../../contract/notation.js';
import { type ReadPlan, readPlan } from './plan/read.js';
import type { PlanRow } from './plan/row.js';
import { PlanDamaged } from './plan/format.js';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import { copied, copyPlan, type OpenPlan } from './open-plan.js';

/** @throws Failure `unsafe`: `plan_differs` if the store differs from the approved plan, `bodies_forgotten` if bodies were removed */
export async function rebuildPlan(
  batch: Batch & { readonly approval: BatchApproval },
  store: Pick<BatchStore, 'peek' | 'lacksBodies'>,
  ports: Pick<Ports, 'random' | 'signal'>,
): Promise<OpenPlan & AsyncDisposable> {
  const refusal = (what: string, code: string): Failure => {
    const text = `${what}. Nothing was sent. Rows that were not sent leave with a new plan.`;
    return new Failure('unsafe', text, { code });
  };
  if (await store.lacksBodies(batch.id, ROW_STATES)) {
    const what = `The bodies of batch ${batch.name} were removed, so svc cannot check what was approved`;
    throw refusal(what, 'bodies_forgotten');
  }
  /** @param what completes "the store no longer holds" */
  const differsFailure = (what: string): Failure =>
    refusal(
      `Batch ${batch.name} was approved as a plan, and the store no longer holds ${what}`,
      'plan_differs',
    );
  const unreadRows: ClaimedRow[] = [];
  const chunks = async function* (): AsyncGenerator<Uint8Array, void, void> {
    yield Buffer.from(`${batch.approval.head}\n`);
    const read = (after: number, count: number) => store.peek(batch.id, { after, count, states: ROW_STATES });
    for await (const rows of rowBlocks(read)) {
      ports.signal.throwIfAborted();
      unreadRows.push(...rows);
      yield Buffer.concat(rows.flatMap(({ body }) => [body, NEWLINE]));
    }
  };
  const onRow = (row: PlanRow): void => {
    const storedRow = unreadRows.shift();
    if (storedRow === undefined || !matchesBody(storedRow, row, batch))
      throw differsFailure(`row ${row.number + 1} of it`);
  };
  const read = async (copy: string): Promise<ReadPlan> => {
    const plan = await readPlan(copied(chunks(), copy), onRow).catch((error: unknown) => {
      throw error instanceof PlanDamaged
        ? differsFailure(`a plan as it was approved (${error.message})`)
        : error;
    });
    if (plan.digest !== batch.approval.digest) throw differsFailure('what people signed');
    const fact = differingFact(batch, plan);
    if (fact !== null) throw differsFailure(fact);
    return plan;
  };
  return copyPlan(batch.name, read, ports);
}

const NEWLINE = Buffer.from('\n');

function matchesBody(storedRow: ClaimedRow, row: PlanRow, batch: Batch): boolean {
  return (
    storedRow.number === row.number &&
    storedRow.reference === row.reference &&
    storedRow.amount === row.amount &&
    storedRow.currency === row.currency &&
    storedRow.key === deriveKey({ ...batch, ...storedRow })
  );
}

function differingFact(batch: Batch, { head, rows }: ReadPlan): string | null {
  const since = batch.sinceMs === null ? null : momentText(batch.sinceMs);
  if (batch.name !== head.batch) return 'its name';
  if (batch.environment !== head.environment) return 'its environment';
  if (batch.direction !== head.direction) return 'its direction';
  if (since !== head.since) return 'since when payments count';
  return batch.rows === rows ? null : 'its number of rows';
}
