/** What a reconciliation came to, shown: first in the report, which is in its place before anything is printed, then on standard output. */
import { whereFlags } from '../../cli/line/where.js';
import type { SessionRun } from '../../cli/session/session.js';
import { FINDING_CLASSES, type Reconciliation } from '../../reconcile/finding.js';
import type { Reconciling } from '../../reconcile/match/reconciling.js';
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
import { agreement, differs, leftOutText } from './ending.js';
import type { ReconcileFlags } from './flags.js';
import type { ServiceSide } from './service-side.js';
import type { Ledger } from './ledger.js';
import type { ReconciliationPrinter } from './printing.js';
import { momentText } from '../../contract/notation.js';
import { serviceAddressOf } from '../../cli/session/address.js';
import { mapOf } from '../../reconcile/file/plan-words.js';
import { afterArrivals } from '../../runtime/clock.js';
import { readAsset } from '../../runtime/asset.js';
import { beginWholeFile, requireReplaceable } from '../../runtime/whole-file.js';

/** What a reconciliation is made with. */
export interface ReconcileJob extends SessionRun<ReconcileFlags> {
  readonly rules: MatchRules;
  readonly printer: ReconciliationPrinter;
}

export interface Sides {
  readonly ledger: Ledger;
  readonly service: ServiceSide;
}

/** @throws Failure `differs` after all of it was shown; `unsafe`, `local_state` for the report; Stopped */
export async function showResult(
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
export function requireReportPlace(path: string): void {
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
