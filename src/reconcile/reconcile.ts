import { counted } from '../contract/on-screen.js';
import { join } from 'node:path';
import { type Run, inSession, type SessionRun } from '../command/command.js';
import { type Reconciliation, FINDING_CLASSES, classWords } from './finding.js';
import { openReconciler, type Reconciler, type SettleResult } from './match/match.js';
import { ensurePrivateFolder } from '../runtime/folders.js';
import { collectOften, streamInLittleMemory } from '../runtime/memory.js';
import { readRules, type ReconcileFlags, zoneOf } from './flags.js';
import { saveMap, skippedText, openLedger, type Ledger } from './file/open-ledger.js';
import type { MisnamedColumn } from './match/bank-numbers.js';
import { columnText } from '../sheet/words.js';
import { withFlags, withoutFlags } from '../command/line/typed-words.js';
import { reconciliationPrinter } from './print.js';
import { whereFlags } from '../session/place-flags.js';
import { REPORT_BEGINNING, REPORT_FINDINGS_MAX, type ReportFacts } from './report/document.js';
import { reportBeginning, reportEnd, reportFinding } from './report/document.js';
import { type MatchRules, daysText, feeText, toleranceText } from './rules.js';
import { shownFinding, type ShownFinding, shownSummary } from './findings-shown.js';
import { momentText } from '../contract/notation.js';
import { serviceAddressOf } from '../session/address.js';
import { flagsOf, mapOf, moveField } from './file/plan-words.js';
import { afterArrivals, type Zone } from '../runtime/clock.js';
import { readAsset } from '../runtime/asset.js';
import { beginWholeFile, requireReplaceable } from '../runtime/whole-file.js';
import { Failure, type FailureFacts } from '../runtime/failure.js';
import { operationFromFeed, type FoundOperation } from '../payments/operations/found-operation.js';
import { openKnownOperations } from '../payments/operations/known-operations.js';
import { commandLine, svcLine } from '../runtime/shell.js';
import type { ComparedOperation } from './line.js';

export async function reconcileFile(run: Run<ReconcileFlags>, file: string): Promise<void> {
  const { ports, flags } = run;
  const rules = readRules(flags);
  const printer = await reconciliationPrinter(ports, flags);
  if (flags.report !== undefined) requireReplaceable(flags.report, REPORT_BEGINNING);
  streamInLittleMemory();
  collectOften();
  const sessionRun = await inSession(run);
  await using ledger = await openLedger(file, sessionRun);
  ensurePrivateFolder(ports.paths.cache);
  using reconciler = openReconciler(join(ports.paths.cache, `reconcile-${ports.random.hex(8)}.db`), rules);
  await compare(ledger, { ...sessionRun, rules, printer, reconciler });
}

async function compare(ledger: Ledger, job: ReconcileJob): Promise<void> {
  const { signal } = job.ports;
  const { reconciler } = job;
  for await (const line of ledger.lines) {
    signal.throwIfAborted();
    reconciler.addLines([line]);
  }
  const end = ledger.ending();
  if (end !== null && end.skippedCount > 0) await job.session.note(skippedText(end));
  const service = await addServiceSide(job);
  const settlement = await reconciler.settle(signal);
  const misnamed = settlement.kind === 'settled' ? settlement.misnamed : null;
  const plan = misnamed?.isRead === true ? moveField(ledger.plan, misnamed) : ledger.plan;
  await saveMap(plan, job);
  if (settlement.kind === 'no_currency') throw noCurrencyFailure(settlement);
  const facts = misnamed === null ? {} : misnamedFacts(misnamed, ledger, job);
  if (misnamed?.isRead === true) await job.session.note(facts.advice?.[0] ?? '');
  const hint = plan === ledger.plan ? facts : {};
  const { outside } = settlement.reconciliation;
  const allOutside = { ...outside, operations: outside.operations + service.leftOut };
  const result = { ...settlement.reconciliation, outside: allOutside };
  await showResult(result, { ...ledger, plan }, service.knownUntil, hint, job);
}

const KIND_WORDS = { id: 'operation ids', reference: 'references', bank_reference: 'bank references' };

function misnamedFacts(
  { from, to, knownCount, valueCount, isRead }: MisnamedColumn,
  { plan, isRepeatable }: Ledger,
  { typed }: ReconcileJob,
): FailureFacts {
  const { name = '', index = 0 } = plan.columns.find(({ field }) => field === from) ?? {};
  const countText = `${String(knownCount)} of ${String(valueCount)} values of column ${columnText(name, index)} are ${KIND_WORDS[to]} of the service`;
  if (isRead) return { advice: [`${countText}: it is read as ${to}.`] };
  const flags = flagsOf(moveField(plan, { from, to }));
  const flagNames = flags.filter((word) => word.startsWith('--')).map((word) => word.replace(/=.*$/s, ''));
  const words = ['svc', ...withFlags(withoutFlags(typed, flagNames), flags)];
  return {
    advice: [`${countText}. To read it as that: ${commandLine(flags)}`],
    nextCommand: isRepeatable ? commandLine(words) : undefined,
  };
}

interface ReconcileJob extends SessionRun<ReconcileFlags> {
  readonly rules: MatchRules;
  readonly printer: Awaited<ReturnType<typeof reconciliationPrinter>>;
  readonly reconciler: Reconciler;
}

async function showResult(
  result: Reconciliation,
  ledger: Ledger,
  knownUntil: string | null,
  hint: FailureFacts,
  job: ReconcileJob,
): Promise<void> {
  const { ports, flags, rules, printer, reconciler } = job;
  const { skippedCount: skipped = 0, hasNegatives = false } = ledger.ending() ?? {};
  const view = {
    where: whereFlags(flags),
    hasNegatives,
    direction: rules.direction,
    currency: currencyOf(result, rules),
    decimals: new Map(
      result.sums.map(({ currency, here }) => [currency, here.amount.split('.')[1]?.length ?? 0]),
    ),
  };
  const classes = FINDING_CLASSES.filter((kind) => flags.all || kind !== 'matched');
  const findings = function* (): Generator<ShownFinding> {
    for (const finding of reconciler.findings(classes)) {
      ports.signal.throwIfAborted();
      yield shownFinding(finding, view);
    }
  };
  const { tolerated } = result;
  const summary = shownSummary(result, rules, knownUntil, skipped);
  const notComparedText = leftOutText(result);
  if (flags.report !== undefined) {
    const facts: ReportFacts = [
      ...factsOf(job, ledger, knownUntil),
      ...(notComparedText === null ? [] : [['Not compared', notComparedText] as const]),
      ...(skipped === 0 ? [] : [['Lines that are not payments', String(skipped)] as const]),
    ];
    await writeReport(flags.report, `Reconciliation of ${ledger.name}`, facts, result, findings());
  }
  for (const finding of findings()) await printer.finding(finding);
  await printer.end(summary);
  if (notComparedText !== null) await job.session.note(`Not compared: ${notComparedText}.`);
  if (!result.agrees) throw differenceFailure(result, hint);
  const within = tolerated > 0 ? ` ${withinText(tolerated)}` : '';
  const comparedText = countsText(summary.lines, summary.operations);
  await job.session.note(`Your file and the service agree: ${comparedText}.${within}`);
}

function currencyOf({ sums }: Reconciliation, { currency }: MatchRules): string | null {
  const onlyOf = (side: 'here' | 'there'): string | null => {
    const currencies = new Set(sums.flatMap((sum) => (sum[side].count > 0 ? [sum.currency] : [])));
    return currencies.size === 1 ? ([...currencies][0] ?? null) : null;
  };
  return currency ?? onlyOf('there') ?? onlyOf('here');
}

function factsOf(job: ReconcileJob, { name, plan }: Ledger, knownUntil: string | null): ReportFacts {
  const { session, flags, ports, rules } = job;
  const { environment, address } = serviceAddressOf(session);
  const { from, to, tolerances, fees, days } = rules;
  const toleranceTexts = [
    ...tolerances.map(toleranceText),
    ...fees.map(feeText),
    ...(days > 0 ? [daysText(days)] : []),
  ];
  const { direction = '' } = flags;
  return [
    ['Your file', name],
    ['Columns', mapOf(plan)],
    ['Service', `${environment}, ${address}`],
    ['Days', from === null && to === null ? 'all' : `${from ?? 'the first'} to ${to ?? 'the last'}`],
    ...(direction === '' ? [] : [['Direction', direction] as const]),
    ['Tolerances', toleranceTexts.length === 0 ? 'none' : toleranceTexts.join(', ')],
    ['Events known up to', knownUntil ?? 'none'],
    ['Made', momentText(ports.clock.now())],
  ];
}

const TURN_FINDINGS = 1000;

async function writeReport(
  path: string,
  title: string,
  facts: ReportFacts,
  result: Reconciliation,
  findings: Iterable<ShownFinding>,
): Promise<void> {
  const textOf = (asset: string): string => Buffer.from(readAsset(asset)).toString('utf8');
  const parts = { script: textOf('report.js'), style: textOf('report.css') };
  const file = beginWholeFile(path, REPORT_BEGINNING);
  try {
    file.write(reportBeginning(title, facts, result, parts));
    let count = 0;
    for (const finding of findings) {
      if (count < REPORT_FINDINGS_MAX) file.write(reportFinding(finding, count === 0));
      count += 1;
      if (count % TURN_FINDINGS === 0) await new Promise<void>(afterArrivals);
    }
    file.write(reportEnd(Math.max(0, count - REPORT_FINDINGS_MAX), parts));
    file.finish();
  } finally {
    file.abandon();
  }
}

function differenceFailure({ sums, tolerated }: Reconciliation, hint: FailureFacts): Failure {
  const parts = FINDING_CLASSES.flatMap((kind) => {
    const classSums = sums.filter((sum) => sum.class === kind);
    if (kind === 'matched' || classSums.length === 0) return [];
    const lines = classSums.reduce((sum, { here }) => sum + here.count, 0);
    const operations = classSums.reduce((sum, { there }) => sum + there.count, 0);
    return [`${classWords(kind)}: ${countsText(lines, operations)}`];
  });
  return new Failure('differs', 'Your file and the service differ. Nothing was sent.', {
    ...hint,
    items: parts,
    advice: [...(tolerated > 0 ? [withinText(tolerated)] : []), ...(hint.advice ?? [])],
  });
}

function withinText(count: number): string {
  return `${counted(count, 'line')} matched within a tolerance: --all lists them.`;
}

function leftOutText({ outside, failed }: Pick<Reconciliation, 'outside' | 'failed'>): string | null {
  const { lines, operations } = outside;
  const others = `${countsText(lines, operations)} outside the days or direction you asked for`;
  const unnamed = `${counted(failed, 'failed operation')} that your file does not name`;
  const parts = [...(lines + operations > 0 ? [others] : []), ...(failed > 0 ? [unnamed] : [])];
  return parts.length === 0 ? null : parts.join(', ');
}

function countsText(lines: number, operations: number): string {
  const parts = [counted(lines, 'line'), counted(operations, 'operation')];
  return lines === 0 || operations === 0 ? (parts[lines === 0 ? 1 : 0] ?? '') : parts.join(' and ');
}

function noCurrencyFailure({ line, currencies }: Extract<SettleResult, { kind: 'no_currency' }>): Failure {
  const currenciesText =
    currencies.length === 0 ? 'The service has no operations' : `The service has ${currencies.join(' and ')}`;
  const text = `Line ${String(line)} has no currency. ${currenciesText}. Add --currency. Nothing was reconciled.`;
  return new Failure('usage', text);
}

async function addServiceSide(job: ReconcileJob) {
  const { flags, session, ports, rules, reconciler } = job;
  const zone = zoneOf(job);
  await using knownOperations = await openKnownOperations(job, flags.offline);
  if (knownOperations.mirror === null)
    throw new Failure(
      'local_state',
      'This machine knows no events of this key, and --offline asks for none. Nothing was reconciled.',
      { nextCommand: svcLine('events sync', whereFlags(flags)) },
    );
  const heardAtMs = await knownOperations.mirror.heardAtMs();
  const knownUntil = heardAtMs === null ? null : momentText(heardAtMs);
  const text = knownUntil === null ? 'It knows no events' : `It knows events up to ${knownUntil}`;
  if (flags.offline) await session.note(`svc did not ask the service. ${text}.`);
  let leftOut = 0;
  const add = (block: readonly FoundOperation[]): void => {
    ports.signal.throwIfAborted();
    const own = block.filter((one) => rules.direction === null || one.direction === rules.direction);
    leftOut += block.length - own.length;
    reconciler.addOperations(own.map((one) => comparedOf(one, zone)));
  };
  for await (const block of knownOperations.mirror.blocks()) add(block.map(operationFromFeed));
  for await (const block of knownOperations.listWithoutEvent()) add(block);
  if (knownOperations.unreadCount > 0)
    await session.note(
      `${knownOperations.unreadCount} pending operations are shown as last seen: svc does not ask for so many.`,
    );
  return { knownUntil, leftOut };
}

const MINUTE_MS = 60_000;

function comparedOf(operation: FoundOperation, zone: Zone): ComparedOperation {
  const { id, direction, status, reference, bankReference, currency, amount } = operation;
  const atMs = operation.confirmedAtMs ?? operation.occurredAtMs ?? operation.createdAtMs;
  const date =
    atMs === null ? null : new Date(atMs + zone.offsetMinutes(atMs) * MINUTE_MS).toISOString().slice(0, 10);
  return { id, direction, status, reference, bankReference, currency, amount, date };
}
