/** `svc reconcile`: reads both sides, compares them, and says what differs: nothing of it before all of it is known. */
import { join } from 'node:path';
import type { Run } from '../../cli/command.js';
import { withSession } from '../../cli/session/session.js';
import type { Reconciliation } from '../../reconcile/finding.js';
import { openReconciling, type Reconciling } from '../../reconcile/match/reconciling.js';
import { ensurePrivateFolder } from '../../runtime/folders.js';
import { collectOften, streamInLittleMemory } from '../../runtime/memory.js';
import type { Ports } from '../../runtime/ports.js';
import { noCurrency } from './ending.js';
import { readRules, type ReconcileFlags } from './flags.js';
import { withServiceSide, type ServiceSide } from './service-side.js';
import { withLedger, type Ledger } from './ledger.js';
import { reconciliationPrinter } from './printing.js';
import { requireReportPlace, showResult, type ReconcileJob } from './showing.js';

/** @throws Failure by the table of exit codes, `differs` among them; Stopped */
export async function reconcileFile(run: Run<ReconcileFlags>, path: string): Promise<void> {
  const { ports, flags } = run;
  const rules = readRules(flags);
  const printer = await reconciliationPrinter(ports, flags);
  if (flags.report !== undefined) requireReportPlace(flags.report);
  streamInLittleMemory();
  collectOften();
  await withSession(run, (open) =>
    withLedger(path, open, async (ledger) => {
      const work = openReconciling(workPath(ports), rules);
      try {
        await compare(ledger, work, { ...open, rules, printer });
      } finally {
        work.close();
      }
    }),
  );
}

/** The ledger first: what can't be read ends it before the service is asked. */
async function compare(ledger: Ledger, work: Reconciling, job: ReconcileJob): Promise<void> {
  const { signal } = job.ports;
  for await (const lines of ledger.blocks()) {
    signal.throwIfAborted();
    work.addLines(lines);
  }
  const service = await withServiceSide(job, async (side) => {
    for await (const operations of side.blocks()) {
      signal.throwIfAborted();
      work.addOperations(operations);
    }
    return side;
  });
  const settled = await work.settle(signal);
  if (settled.kind === 'no_currency') throw noCurrency(settled);
  await showResult(withLeftOut(settled.reconciliation, service), { ledger, service }, { work, job });
}

/** Operations that were left out for their direction were not compared either. */
function withLeftOut(result: Reconciliation, service: ServiceSide): Reconciliation {
  const { lines, operations } = result.outside;
  return { ...result, outside: { lines, operations: operations + service.leftOut() } };
}

/** Where nobody else looks; it has no name while it is used. */
function workPath({ paths, random }: Pick<Ports, 'paths' | 'random'>): string {
  ensurePrivateFolder(paths.cache);
  return join(paths.cache, `reconcile-${random.hex(8)}.db`);
}
