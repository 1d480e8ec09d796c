/** The job of `svc reconcile`: reads both sides completely, compares them, and prints the differences. */
import { counted } from '../../contract/on-screen.js';
import { join } from 'node:path';
import type { Run } from '../../cli/command.js';
import { withSession, type SessionRun } from '../../cli/session/session.js';
import { type Reconciliation, FINDING_CLASSES, classWords } from '../../reconcile/finding.js';
import { openReconciler, type Reconciler, type SettleResult } from '../../reconcile/match/reconciling.js';
import { ensurePrivateFolder } from '../../runtime/folders.js';
import { collectOften, streamInLittleMemory } from '../../runtime/memory.js';
import { readRules, type ReconcileFlags, directionIn, zoneOf } from './flags.js';
import { saveMap, withLedger, type Ledger } from './ledger.js';
import type { MisnamedColumn } from '../../reconcile/match/bank-numbers.js';
import { columnText } from '../../sheet/words.js';
import { withFlags, withoutFlags } from '../../cli/line/shell.js';
import { reconciliationPrinter } from './printing.js';
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
import { flagsOf, mapOf, readAs } from '../../reconcile/file/plan-words.js';
import { afterArrivals, type Zone } from '../../runtime/clock.js';
import { readAsset } from '../../runtime/asset.js';
import { beginWholeFile, requireReplaceable } from '../../runtime/whole-file.js';
import { Failure, type FailureFacts } from '../../runtime/failure.js';
import { fromFeed, type FoundOperation } from '../../cli/feed/found-operation.js';
import { withKnownOperations, type KnownOperations } from '../../cli/feed/known-operations.js';
import { commandLine, svcLine } from '../../runtime/shell.js';
import type { ComparedOperation } from '../../reconcile/line.js';

/** @throws Failure by the table of exit codes, `differs` among them; Stopped */
export async function reconcileFile(run: Run<ReconcileFlags>, file: string): Promise<void> {
  const { ports, flags } = run;
  const rules = readRules(flags);
  const printer = await reconciliationPrinter(ports, flags);
  if (flags.report !== undefined) requireReplaceable(flags.report, REPORT_BEGINNING);
  streamInLittleMemory();
  collectOften();
  await withSession(run, (open) =>
    withLedger(file, open, async (ledger) => {
      // The work file is in a private folder, and is unlinked as soon as it is open.
      ensurePrivateFolder(ports.paths.cache);
      const path = join(ports.paths.cache, `reconcile-${ports.random.hex(8)}.db`);
      const work = openReconciler(path, rules);
      try {
        await compare(ledger, work, { ...open, rules, printer });
      } finally {
        work.close();
      }
    }),
  );
}

/** Reads the ledger first: a value that can't be read ends the command before the service is asked. */
async function compare(ledger: Ledger, work: Reconciler, job: ReconcileJob): Promise<void> {
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
  const misnamed = settled.kind === 'settled' ? settled.misnamed : null;
  const plan = misnamed?.isRead === true ? readAs(ledger.plan, misnamed) : ledger.plan;
  await saveMap(plan, job);
  if (settled.kind === 'no_currency') throw noCurrencyFailure(settled);
  const facts = misnamed === null ? {} : misnamedFacts(misnamed, ledger, job);
  if (misnamed?.isRead === true) await job.session.note(facts.advice?.[0] ?? '');
  const hint = plan === ledger.plan ? facts : {};
  const sides = { ledger: { ...ledger, plan }, service };
  const { outside } = settled.reconciliation;
  // Operations of the other direction were not compared either.
  const all = { ...outside, operations: outside.operations + service.leftOut() };
  await showResult({ ...settled.reconciliation, outside: all }, sides, { work, job, hint });
}

const KIND_WORDS = { id: 'operation ids', reference: 'references', bank_reference: 'bank references' };

/** Says which field a column seems to hold. If svc read another field from it, adds the command line that corrects this. */
function misnamedFacts(
  { from, to, known, of, isRead }: MisnamedColumn,
  { plan, isRepeatable }: Ledger,
  { typed }: ReconcileJob,
): FailureFacts {
  const { name = '', index = 0 } = plan.columns.find(({ field }) => field === from) ?? {};
  const finding = `${String(known)} of ${String(of)} values of column ${columnText(name, index)} are ${KIND_WORDS[to]} of the service`;
  if (isRead) return { advice: [`${finding}: it is read as ${to}.`] };
  const flags = flagsOf(readAs(plan, { from, to }));
  const names = flags.filter((word) => word.startsWith('--')).map((word) => word.replace(/=.*$/s, ''));
  const line = ['svc', ...withFlags(withoutFlags(typed, names), flags)];
  return {
    advice: [`${finding}. To read it as that: ${commandLine(flags)}`],
    nextCommand: isRepeatable ? commandLine(line) : undefined,
  };
}

interface ReconcileJob extends SessionRun<ReconcileFlags> {
  readonly rules: MatchRules;
  readonly printer: Awaited<ReturnType<typeof reconciliationPrinter>>;
}

/** Prints the findings and the summary. @throws Failure `differs` after that; `unsafe`, `local_state` for the report; Stopped */
async function showResult(
  result: Reconciliation,
  { ledger, service }: { readonly ledger: Ledger; readonly service: ServiceSide },
  { work, job, hint }: { work: Reconciler; job: ReconcileJob; hint: FailureFacts },
): Promise<void> {
  const { ports, flags, rules, printer } = job;
  const showing = {
    where: whereFlags(flags),
    hasNegatives: ledger.hasNegatives(),
    direction: rules.direction,
    currency: currencyOf(result, rules),
    // All sums of a currency have as many decimals as its longest amount.
    decimals: new Map(
      result.sums.map(({ currency, here }) => [currency, here.amount.split('.')[1]?.length ?? 0]),
    ),
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
    const title = `Reconciliation of ${ledger.name}`;
    const facts = [...factsOf(job, ledger, service), ...notCompared(result, ledger)];
    await writeReport(flags.report, title, facts, result, findings());
  }
  for (const finding of findings()) await printer.finding(finding);
  await printer.end(summary);
  const leftOut = leftOutText(result);
  if (leftOut !== null) await job.session.note(`Not compared: ${leftOut}.`);
  if (!result.agrees) throw differenceFailure(result, hint);
  const within = result.tolerated > 0 ? ` ${withinText(result.tolerated)}` : '';
  const compared = countsText(summary.lines, summary.operations);
  await job.session.note(`Your file and the service agree: ${compared}.${within}`);
}

function notCompared(result: Reconciliation, ledger: Ledger): ReportFacts {
  const text = leftOutText(result);
  const skipped = ledger.skipped();
  return [
    ...(text === null ? [] : [['Not compared', text] as const]),
    ...(skipped === 0 ? [] : [['Lines that are not payments', String(skipped)] as const]),
  ];
}

/** The currency of lines without one: that of `--currency`, else the only one of the service, else the only one of the file. */
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
  const { direction = '' } = flags;
  return [
    ['Your file', name],
    ['Columns', mapOf(plan)],
    ['Service', `${environment}, ${address}`],
    ['Days', from === null && to === null ? 'all' : `${from ?? 'the first'} to ${to ?? 'the last'}`],
    ...(direction === '' ? [] : [['Direction', direction] as const]),
    ['Tolerances', tolerated.length === 0 ? 'none' : tolerated.join(', ')],
    ['Events known up to', momentOrNull(knownUntilMs) ?? 'none'],
    ['Made', momentText(ports.clock.now())],
  ];
}

const TURN_FINDINGS = 1000;

/** Replaces the report file only once the new one is complete. @throws as `requireReplaceable` */
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
      // Lets a pending signal arrive.
      if (count % TURN_FINDINGS === 0) await new Promise<void>(afterArrivals);
    }
    file.write(reportEnd(Math.max(0, count - REPORT_FINDINGS_MAX), parts));
    file.finish();
  } finally {
    file.abandon();
  }
}

/** The error at the end. It repeats the counts, because the findings may have gone into a file. */
function differenceFailure({ sums, tolerated }: Reconciliation, hint: FailureFacts): Failure {
  const parts = FINDING_CLASSES.flatMap((kind) => {
    const own = sums.filter((sum) => sum.class === kind);
    if (kind === 'matched' || own.length === 0) return [];
    const lines = own.reduce((sum, { here }) => sum + here.count, 0);
    const operations = own.reduce((sum, { there }) => sum + there.count, 0);
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

/** Says which lines and operations were not compared, and why; null if all were. */
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

/** The error for a line without a currency if `currencyOf` finds none. */
function noCurrencyFailure({ line, currencies }: Extract<SettleResult, { kind: 'no_currency' }>): Failure {
  const currenciesText =
    currencies.length === 0 ? 'The service has no operations' : `The service has ${currencies.join(' and ')}`;
  const text = `Line ${String(line)} has no currency. ${currenciesText}. Add --currency. Nothing was reconciled.`;
  return new Failure('usage', text);
}

interface ServiceSide {
  /** The latest time in the known events; null if there are none. */
  readonly knownUntilMs: number | null;
  /** May be called once. */
  blocks(): AsyncIterable<readonly ComparedOperation[]>;
  /** How many operations had the other direction; complete after `blocks`. */
  leftOut(): number;
}

/** @throws Failure by the table of exit codes, `local_state` with `--offline` if no events are known; Stopped; errors of the steps */
function withServiceSide<T>(
  run: SessionRun<ReconcileFlags>,
  steps: (side: ServiceSide) => Promise<T>,
): Promise<T> {
  const { flags, session } = run;
  return withKnownOperations(run, flags.offline, async (known) => {
    if (known.mirror === null)
      throw new Failure(
        'local_state',
        'This machine knows no events of this key, and --offline asks for none. Nothing was reconciled.',
        { nextCommand: svcLine('events sync', whereFlags(flags)) },
      );
    const side = sideOf(known, await known.mirror.heardAtMs(), run);
    const until = momentOrNull(side.knownUntilMs);
    const text = until === null ? 'It knows no events' : `It knows events up to ${until}`;
    if (flags.offline) await session.note(`svc did not ask the service. ${text}.`);
    return steps(side);
  });
}

function sideOf(
  known: KnownOperations,
  knownUntilMs: number | null,
  run: SessionRun<ReconcileFlags>,
): ServiceSide {
  const direction = directionIn(run.flags);
  const zone = zoneOf(run);
  let leftOut = 0;
  const compared = (block: readonly FoundOperation[]): ComparedOperation[] => {
    const own = block.filter((one) => direction === null || one.direction === direction);
    leftOut += block.length - own.length;
    return own.map((one) => comparedOf(one, zone));
  };
  return {
    knownUntilMs,
    leftOut: () => leftOut,
    blocks: async function* () {
      for await (const block of known.mirror?.blocks() ?? []) yield compared(block.map(fromFeed));
      for await (const block of known.withoutEvent()) yield compared(block);
      const text = `${known.unread} pending operations are shown as last seen: svc does not ask for so many.`;
      if (known.unread > 0) await run.session.note(text);
    },
  };
}

const MINUTE_MS = 60_000;

/** @param zone the time zone of the ledger's days */
function comparedOf(operation: FoundOperation, zone: Zone): ComparedOperation {
  const { id, direction, status, reference, bankReference, currency, amount } = operation;
  const atMs = operation.confirmedAtMs ?? operation.occurredAtMs ?? operation.createdAtMs;
  const date =
    atMs === null ? null : new Date(atMs + zone.offsetMinutes(atMs) * MINUTE_MS).toISOString().slice(0, 10);
  return { id, direction, status, reference, bankReference, currency, amount, date };
}
