import { type ClearanceWorld, refusePaid, checkRows } from '../check/clearance.js';
import { PaidRows, type NextCommands } from '../check/paid-rows.js';
import type { Capabilities } from '../../contract/catalog.js';
import type { BankRule } from '../../contract/create.js';
import { referenceMark } from '../../contract/marks.js';
import { Failure } from '../../runtime/failure.js';
import { Problems } from '../../runtime/problems.js';
import { type EvidenceWorld, NO_EVIDENCE, paymentsOfRows } from '../../payments/known/evidence.js';
import { decideRow } from '../../payments/decide.js';
import { tryOfPayment } from '../../payments/known/payments.js';
import type { RowFile } from '../file/row-file.js';
import { deriveKey } from '../../payments/known/key.js';
import { SENDABLE } from '../../storage/batches/row-state.js';
import type {
  Batch,
  BatchFacts,
  BatchTotals,
  CurrencyTotal,
  BatchStore,
} from '../../storage/batches/batch-store.js';
import type { PlannedRow, ReferencePair } from '../../storage/batches/row.js';
import { type ReadingOptions, type Shared, type ReadRow, rowReader } from './row-reader.js';
import { sealOf } from '../../storage/batches/seal.js';

interface PlanOptions extends Pick<ReadingOptions, 'correctionNotes'> {
  readonly facts: BatchFacts;
  readonly file: RowFile;
  readonly shared: Shared;
  readonly allowsDuplicates: boolean;
  readonly skipsPaid: boolean;
  readonly isApproved?: boolean;
  readonly isKept: boolean;
  readonly commands: NextCommands;
  readonly signal: AbortSignal;
  readonly admit: (batch: Batch) => Promise<void>;
}

interface PlanWorld extends EvidenceWorld, Pick<ClearanceWorld, 'clock'> {
  readonly store: BatchStore;
  readonly catalog: Capabilities;
  readonly supportsBank: BankRule;
}

const BLOCK_ROWS = 500;

export async function makeBatch(options: PlanOptions, world: PlanWorld) {
  const { facts, isKept, skipsPaid, signal, commands } = options;
  const { store, clock } = world;
  let seenChanges = await store.changes();
  const paid = new PaidRows(clock.now());
  const id = await store.begin(facts);
  try {
    const totals = await readRows(id, { ...options, paid }, world);
    const batch: Batch = { ...facts, ...totals, id, confirmedAtMs: null, confirmation: null };
    await refusePaid(batch, paid, { states: SENDABLE, commands }, store);
    await options.admit(batch);
    while (isKept && !(await store.finish(id, totals, seenChanges))) {
      // Checks the rows again, because another batch was made or began to send meanwhile.
      seenChanges = await store.changes();
      const newlyPaid = new PaidRows(clock.now());
      await checkRows(batch, { states: ['planned'], skipsPaid, paid: newlyPaid, signal }, world);
      await refusePaid(batch, newlyPaid, { states: SENDABLE, commands }, store);
    }
    // Adds 1, because `finish` itself counts as a change.
    return { batch, clearance: { seenChanges: seenChanges + 1, checkedAtMs: clock.monotonic() } };
  } catch (error) {
    await store.discard(id).catch(() => undefined);
    throw error;
  }
}

export async function refuseWrongRows(options: Pick<PlanOptions, 'facts' | 'file' | 'shared' | 'signal'>) {
  const { facts, file, shared, signal } = options;
  const problems = new Problems();
  const readRow = rowReader({ facts, shared, catalog: null, supportsBank: () => true, problems });
  const lines = new Map<string, number>();
  for await (const row of file.rows(problems)) {
    signal.throwIfAborted();
    readRow(row, 0);
    const { reference } = row.body;
    if (typeof reference !== 'string') continue;
    const mark = Buffer.from(referenceMark(reference)).toString('latin1');
    const otherLine = lines.get(mark);
    if (otherLine !== undefined) noteDuplicate(problems, { line: row.line, otherLine, reference });
    lines.set(mark, row.line);
  }
  problems.throwIfAny(facts.file);
}

type PlanRun = PlanOptions & { readonly paid: PaidRows };

async function readRows(id: number, options: PlanRun, world: PlanWorld): Promise<BatchTotals> {
  const { facts, file, signal } = options;
  const problems = new Problems();
  const currencies = new Map<string, CurrencyTotal>();
  let block: ReadRow[] = [];
  let number = 0;
  const { catalog, supportsBank } = world;
  const readRow = rowReader({ ...options, catalog, supportsBank, problems });
  for await (const fileRow of file.rows(problems)) {
    const row = readRow(fileRow, number);
    if (row === null) continue;
    if (options.isApproved === true && row.body !== fileRow.text) {
      problems.add(fileRow.line, null, 'would leave with other bytes than those that were approved');
      continue;
    }
    number += 1;
    const sum = currencies.get(row.currency) ?? { rows: 0, minor: 0n };
    const { decimals } = row;
    currencies.set(row.currency, { decimals, rows: sum.rows + 1, minor: sum.minor + row.minor });
    block.push(row);
    if (block.length < BLOCK_ROWS) continue;
    signal.throwIfAborted();
    await addBlock(id, block, options, world, problems.count > 0);
    block = [];
  }
  await file.requireUnchanged();
  await addBlock(id, block, options, world, problems.count > 0);
  await notePairs(id, options, world.store, problems);
  problems.throwIfAny(facts.file);
  if (number === 0) throw new Failure('bad_file', `${facts.file} holds no rows. Nothing was sent.`);
  return { fileHash: file.hash(), rows: number, currencies };
}

async function addBlock(
  id: number,
  rows: readonly ReadRow[],
  { facts, skipsPaid, paid }: PlanRun,
  world: PlanWorld,
  isRefused: boolean,
): Promise<void> {
  if (rows.length === 0) return;
  const rowPayments = isRefused
    ? rows.map((row) => ({ row, evidence: NO_EVIDENCE, payments: [] }))
    : await paymentsOfRows({ ...facts, id }, rows, world);
  const rules = { sinceMs: facts.sinceMs, skipsPaid };
  const plannedRows = rowPayments.map(({ row, evidence, payments }): PlannedRow => {
    const { decimals: _decimals, ...storedMembers } = row;
    const { direction } = facts;
    const candidate = { ...row, direction, state: 'planned', operation: null, sentAtMs: null } as const;
    const finding = decideRow(candidate, payments, rules);
    if (finding.kind === 'paid') paid.add({ ...row, payments: finding.payments }, finding.isSkippable);
    if (finding.kind === 'waits') paid.addWaiting(row, finding.payment);
    const nextTry = tryOfPayment(evidence, { ...facts, nowMs: world.clock.now() });
    const key = deriveKey({ ...facts, reference: row.reference, ...nextTry });
    const sealedRow = { ...storedMembers, ...nextTry, key };
    const earlier = 'rowStatus' in finding ? finding.rowStatus : null;
    return { ...sealedRow, seal: sealOf(sealedRow), earlier };
  });
  await world.store.add(id, plannedRows);
}

const PAIRS_SHOWN = 20;

async function notePairs(
  id: number,
  { allowsDuplicates }: PlanOptions,
  store: BatchStore,
  problems: Problems,
): Promise<void> {
  const pairsOf = async (mark: 'reference' | 'twin'): Promise<readonly ReferencePair[]> => {
    const pairs = await store.pairs(id, mark, PAIRS_SHOWN + 1);
    if (pairs.length > PAIRS_SHOWN) problems.noteMore();
    return pairs.slice(0, PAIRS_SHOWN);
  };
  for (const pair of await pairsOf('reference')) noteDuplicate(problems, pair);
  if (!allowsDuplicates)
    for (const pair of await pairsOf('twin')) {
      const text = `the same account and amount as line ${pair.otherLine}, under another reference: add --allow-duplicates if you mean both`;
      problems.add(pair.line, null, text);
    }
}

function noteDuplicate(problems: Problems, pair: Omit<ReferencePair, 'otherReference'>): void {
  const text = `Duplicate of line ${pair.otherLine}: ${JSON.stringify(pair.reference)}`;
  problems.add(pair.line, 'reference', text, 'whole');
}
