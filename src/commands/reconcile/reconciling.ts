/** `svc reconcile`: reads both sides, compares them, and says what differs: nothing of it before all of it is known. */
import { join } from 'node:path';
import type { Run } from '../../cli/command.js';
import { whereFlags } from '../../cli/line/where.js';
import { withSession, type SessionRun } from '../../cli/session/session.js';
import { FINDING_CLASSES, type Finding, type Reconciliation } from '../../reconcile/finding.js';
import { openReconciling, type Reconciling } from '../../reconcile/match/reconciling.js';
import type { MatchRules } from '../../reconcile/rules.js';
import { shownFinding, type ShownFinding } from '../../reconcile/shown.js';
import { ensurePrivateFolder } from '../../runtime/folders.js';
import { collectOften, streamInLittleMemory } from '../../runtime/memory.js';
import type { Ports } from '../../runtime/ports.js';
import { agreement, differs, noCurrency } from './ending.js';
import { factsOf, momentOrNull } from './facts.js';
import type { ReconcileFlags } from './flags.js';
import { withServiceSide, type ServiceSide } from './known.js';
import { withLedger, type Ledger } from './ledger.js';
import { reconciliationPrinter, type ReconciliationPrinter } from './printing.js';
import { requireReportPlace, writeReport } from './report.js';
import { readRules } from './rules.js';
import { shownSummary } from '../../reconcile/summary.js';

/** What a reconciliation is made with. */
interface Job extends SessionRun<ReconcileFlags> {
  readonly path: string;
  readonly rules: MatchRules;
  readonly printer: ReconciliationPrinter;
}

interface Sides {
  readonly ledger: Ledger;
  readonly service: ServiceSide;
}

/** @throws Failure by the table of exit codes, `differs` among them; Stopped */
export async function reconcileFile(run: Run<ReconcileFlags>, path: string): Promise<void> {
  const { ports, flags } = run;
  const rules = readRules(flags);
  const printer = await reconciliationPrinter(ports, flags);
  if (flags.report !== undefined) requireReportPlace(flags.report);
  streamInLittleMemory();
  collectOften();
  await withSession(run, (open) => {
    const job: Job = { ...open, path, rules, printer };
    return withLedger(path, open, (ledger) =>
      withServiceSide(open, async (service) => {
        const work = openReconciling(workPath(ports), rules);
        try {
          await compare({ ledger, service }, work, job);
        } finally {
          work.close();
        }
      }),
    );
  });
}

async function compare(sides: Sides, work: Reconciling, job: Job): Promise<void> {
  const { ledger, service } = sides;
  const { signal } = job.ports;
  for await (const lines of ledger.blocks()) {
    signal.throwIfAborted();
    work.addLines(lines);
  }
  for await (const operations of service.blocks()) {
    signal.throwIfAborted();
    work.addOperations(operations);
  }
  const settled = await work.settle(signal);
  if (settled.kind === 'no_currency') throw noCurrency(settled);
  await show(withLeftOut(settled.reconciliation, sides), sides, { work, job });
}

/** What was left out for its direction was not compared either. */
function withLeftOut(result: Reconciliation, { ledger, service }: Sides): Reconciliation {
  const { outside } = result;
  const lines = outside.lines + ledger.leftOut();
  return { ...result, outside: { lines, operations: outside.operations + service.leftOut() } };
}

async function show(
  result: Reconciliation,
  { ledger, service }: Sides,
  { work, job }: { work: Reconciling; job: Job },
): Promise<void> {
  const { ports, flags, rules, printer } = job;
  const showing = {
    where: whereFlags(flags),
    hasNegatives: ledger.hasNegatives(),
    currency: currencyOf(result, rules),
    decimals: decimalsOf(result),
  };
  const classes = FINDING_CLASSES.filter((kind) => flags.all || kind !== 'matched');
  const findings = function* (): Generator<ShownFinding> {
    for (const finding of work.findings(classes)) {
      ports.signal.throwIfAborted();
      yield shownFinding(finding, showing);
    }
  };
  const summary = shownSummary(result, {
    ...{ from: rules.from, to: rules.to, knownUntil: momentOrNull(service.knownUntilMs) },
    withinTolerance: countUntil(work.findings(['matched']), ({ tolerances }) => tolerances.length === 0),
  });
  if (flags.report !== undefined) {
    const content = { title: `Reconciliation of ${ledger.name}`, facts: factsOf(job, ledger, service) };
    await writeReport(flags.report, { ...content, result, findings: findings() });
  }
  for (const finding of findings()) await printer.finding(finding);
  await printer.end(summary);
  if (!result.agrees) throw differs(result);
  await job.session.note(agreement(summary));
}

/** All sums of a currency have as many as the amount that has most. */
function decimalsOf({ sums }: Reconciliation): Map<string | null, number> {
  return new Map(sums.map(({ currency, here }) => [currency, here.amount.split('.')[1]?.length ?? 0]));
}

/** What a line that names no currency is in: what was stated, else the only one on the service's side. */
function currencyOf({ sums }: Reconciliation, { currency }: MatchRules): string | null {
  const onlyOf = (side: 'here' | 'there'): string | null => {
    const own = new Set(sums.flatMap((sum) => (sum[side].count > 0 ? [sum.currency] : [])));
    return own.size === 1 ? ([...own][0] ?? null) : null;
  };
  return currency ?? onlyOf('there') ?? onlyOf('here');
}

/** How many come before the first that holds: those of a kind come first. */
function countUntil(findings: Iterable<Finding>, holds: (finding: Finding) => boolean): number {
  let count = 0;
  for (const finding of findings) {
    if (holds(finding)) break;
    count += 1;
  }
  return count;
}

/** Where nobody else looks; it has no name while it is used. */
function workPath({ paths, random }: Pick<Ports, 'paths' | 'random'>): string {
  ensurePrivateFolder(paths.cache);
  return join(paths.cache, `reconcile-${random.hex(8)}.db`);
}
