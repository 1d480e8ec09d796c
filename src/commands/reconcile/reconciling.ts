/** `svc reconcile`: reads both sides, compares them, and says what differs: nothing of it before all of it is known. */
import { join } from 'node:path';
import type { Run } from '../../cli/command.js';
import { withSession, type SessionRun } from '../../cli/session/session.js';
import { type Reconciliation, FINDING_CLASSES } from '../../reconcile/finding.js';
import { openReconciling, type Reconciling } from '../../reconcile/match/reconciling.js';
import { ensurePrivateFolder } from '../../runtime/folders.js';
import { collectOften, streamInLittleMemory } from '../../runtime/memory.js';
import type { Ports } from '../../runtime/ports.js';
import { noCurrency, agreement, differs, leftOutText } from './ending.js';
import { readRules, type ReconcileFlags } from './flags.js';
import { withServiceSide, type ServiceSide } from './service-side.js';
import { withLedger, type Ledger } from './ledger.js';
import { reconciliationPrinter, type ReconciliationPrinter } from './printing.js';
import { whereFlags } from '../../cli/line/where.js';
import {
  type ReportFacts,
  REPORT_BEGINNING,
  REPORT_FINDINGS_MAX,
  reportBeginning,
  reportEnd,
  reportFinding,
} from '../../reconcile/report/document.js';
import { type MatchRules, daysText, feeText, toleranceText } from '../../reconcile/rules.js';
import { shownFinding, type ShownFinding, shownSummary } from '../../reconcile/shown.js';
import { momentText } from '../../contract/notation.js';
import { serviceAddressOf } from '../../cli/session/address.js';
import { mapOf } from '../../reconcile/file/plan-words.js';
import { afterArrivals } from '../../runtime/clock.js';
import { readAsset } from '../../runtime/asset.js';
import { beginWholeFile, requireReplaceable } from '../../runtime/whole-file.js';

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

/** What a reconciliation is made with. */
interface ReconcileJob extends SessionRun<ReconcileFlags> {
  readonly rules: MatchRules;
  readonly printer: ReconciliationPrinter;
}

interface Sides {
  readonly ledger: Ledger;
  readonly service: ServiceSide;
}

/** @throws Failure `differs` after all of it was shown; `unsafe`, `local_state` for the report; Stopped */
async function showResult(
  result: Reconciliation,
  { ledger, service }: Sides,
  { work, job }: { work: Reconciling; job: ReconcileJob },
): Promise<void> {
  const { ports, flags, rules, printer } = job;
  const showing = {
    where: whereFlags(flags),
    hasNegatives: ledger.hasNegatives(),
    direction: rules.direction,
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
    withinTolerance: result.tolerated,
    skipped: ledger.skipped(),
  });
  if (flags.report !== undefined) {
    const content = {
      title: `Reconciliation of ${ledger.name}`,
      facts: [...factsOf(job, ledger, service), ...notCompared(result, ledger)],
    };
    await writeReport(flags.report, { ...content, result, findings: findings() });
  }
  for (const finding of findings()) await printer.finding(finding);
  await printer.end(summary);
  const leftOut = leftOutText(result);
  if (leftOut !== null) await job.session.note(`Not compared: ${leftOut}.`);
  if (!result.agrees) throw differs(result, summary.within_tolerance);
  await job.session.note(agreement(summary, summary.within_tolerance));
}

function notCompared(result: Reconciliation, ledger: Ledger): ReportFacts {
  const text = leftOutText(result);
  const skipped = ledger.skipped();
  return [
    ...(text === null ? [] : [['Not compared', text] as const]),
    ...(skipped === 0 ? [] : [['Lines that are no payment', String(skipped)] as const]),
  ];
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

function momentOrNull(ms: number | null): string | null {
  return ms === null ? null : momentText(ms);
}

function factsOf(
  run: SessionRun<ReconcileFlags> & { readonly rules: MatchRules },
  { name, plan }: Ledger,
  { knownUntilMs }: ServiceSide,
): ReportFacts {
  const { session, flags, ports, rules } = run;
  const { environment, address } = serviceAddressOf(session);
  const { from, to, tolerances, fees, days } = rules;
  const tolerated = [
    ...tolerances.map(toleranceText),
    ...fees.map(feeText),
    ...(days > 0 ? [daysText(days)] : []),
  ];
  const optional = (label: string, value: string): [string, string][] =>
    value === '' ? [] : [[label, value]];
  return [
    ['Your file', name],
    ['Columns', mapOf(plan)],
    ['Service', `${environment}, ${address}`],
    ['Days', from === null && to === null ? 'all' : `${from ?? 'the first'} to ${to ?? 'the last'}`],
    ...optional('Direction', flags.direction ?? ''),
    ['Tolerances', tolerated.length === 0 ? 'none' : tolerated.join(', ')],
    ['Events known up to', momentOrNull(knownUntilMs) ?? 'none'],
    ['Made', momentText(ports.clock.now())],
  ];
}

const TURN_FINDINGS = 1000;

/** @throws Failure `unsafe` where something stands there that is no report of ours, `local_state` where nothing can be written */
function requireReportPlace(path: string): void {
  requireReplaceable(path, REPORT_BEGINNING);
}

interface ReportContent {
  readonly title: string;
  readonly facts: ReportFacts;
  readonly result: Reconciliation;
  readonly findings: Iterable<ShownFinding>;
}

/** @throws as `requireReportPlace`; whatever ends it, what stood there before stands there still */
async function writeReport(path: string, { title, facts, result, findings }: ReportContent): Promise<void> {
  const parts = { script: textOf('report.js'), style: textOf('report.css') };
  const file = beginWholeFile(path, REPORT_BEGINNING);
  try {
    file.write(reportBeginning(title, facts, result, parts));
    let count = 0;
    for (const finding of findings) {
      if (count < REPORT_FINDINGS_MAX) file.write(reportFinding(finding, count === 0));
      count += 1;
      // A signal that came meanwhile is heard.
      if (count % TURN_FINDINGS === 0) await new Promise<void>(afterArrivals);
    }
    file.write(reportEnd(Math.max(0, count - REPORT_FINDINGS_MAX), parts));
    file.finish();
  } finally {
    file.abandon();
  }
}

function textOf(asset: string): string {
  return Buffer.from(readAsset(asset)).toString('utf8');
}
