/** Plans a batch: reads its file once, checks every row, and puts the whole of it into the store, or nothing. */
import type { Capabilities } from '../../contract/catalog.js';
import type { BankRule } from '../../contract/create.js';
import { Failure } from '../../runtime/failure.js';
import { readCsv } from '../file/csv-rows.js';
import type { FileRow, FileRows } from '../file/file-row.js';
import { readNdjson } from '../file/ndjson-rows.js';
import { Problems } from '../file/problem.js';
import { openText, type FileText } from '../file/source.js';
import { deriveKey } from '../key.js';
import { foldReference, markOf, sealOf } from '../seal.js';
import type { BatchFacts, BatchStore, BatchTotals, CurrencyTotal, PlannedRow } from '../store/batch-store.js';
import { bodyText } from './body-text.js';
import { refusePairs, refuseRepeats } from './duplicates.js';
import { partyText } from './party-text.js';
import { checkRow, missingMembers, withoutAvailability, type Shared } from './row-check.js';

export interface PlanOptions {
  readonly facts: BatchFacts;
  readonly shared: Shared;
  readonly allowsDuplicates: boolean;
  readonly allowsRepeats: boolean;
  /** False for a plan that is only shown: it is never a batch, whatever becomes of this process. */
  readonly isKept: boolean;
  readonly signal: AbortSignal;
}

export interface PlanWorld {
  readonly store: BatchStore;
  readonly catalog: Capabilities;
  readonly supportsBank: BankRule;
}

/** Rows of one commit. */
const BLOCK_ROWS = 500;

/**
 * The batch, in the store, or its plan where it is not kept; where anything is wrong the store is as before.
 * @throws Failure `bad_file` with line numbers, `unsafe` for rows that another batch has; DatabaseUnusable; the signal's reason
 */
export async function planBatch(
  options: PlanOptions,
  world: PlanWorld,
): Promise<{ id: number; totals: BatchTotals }> {
  const { facts } = options;
  const { store } = world;
  const id = await store.begin(facts);
  try {
    const totals = await readAll(id, options, world);
    await refusePairs(id, facts.file, options.allowsDuplicates, store);
    if (!options.allowsRepeats) await refuseRepeats(id, store);
    if (options.isKept) await store.finish(id, totals);
    return { id, totals };
  } catch (error) {
    // What could not be planned leaves nothing behind; where that fails too, the first error says why.
    await store.discard(id).catch(() => undefined);
    throw error;
  }
}

async function readAll(id: number, options: PlanOptions, world: PlanWorld): Promise<BatchTotals> {
  const text = await openText(options.facts.file);
  try {
    return await readRows(id, text, options, world);
  } finally {
    await text.close();
  }
}

async function readRows(
  id: number,
  text: FileText,
  options: PlanOptions,
  world: PlanWorld,
): Promise<BatchTotals> {
  const { facts, signal } = options;
  const problems = new Problems();
  const currencies = new Map<string, CurrencyTotal>();
  let block: PlannedRow[] = [];
  let number = 0;
  const planRow = rowPlanner(options, world, problems);
  for await (const row of rowsOf(text.chunks(problems), options, world, problems)) {
    const planned = planRow(row, number);
    if (planned === null) continue;
    number += 1;
    count(currencies, planned);
    block.push(planned);
    if (block.length < BLOCK_ROWS) continue;
    signal.throwIfAborted();
    // A file with problems is only read for the others.
    if (problems.count === 0) await world.store.add(id, block);
    block = [];
  }
  await text.requireUnchanged();
  problems.throwIfAny(facts.file);
  if (number === 0) throw new Failure('bad_file', `${facts.file} holds no rows. Nothing was sent.`);
  await world.store.add(id, block);
  return { fileHash: text.hash(), rows: number, currencies };
}

/** The rows of CSV or NDJSON: a body begins with a brace, and no column does. */
async function* rowsOf(
  chunks: AsyncGenerator<string, void, void>,
  { facts }: PlanOptions,
  { catalog }: PlanWorld,
  problems: Problems,
): FileRows {
  let start = '';
  let isOver = false;
  while (start.trim() === '' && !isOver) {
    const { done, value } = await chunks.next();
    isOver = done === true;
    start += value ?? '';
  }
  const text = (async function* () {
    yield start;
    yield* chunks;
  })();
  if (start.trimStart().startsWith('{')) yield* readNdjson(text, problems);
  else yield* readCsv(text, facts.direction, catalog, problems);
}

interface Planned extends PlannedRow {
  readonly decimals: number;
}

function rowPlanner({ facts, shared }: PlanOptions, world: PlanWorld, problems: Problems) {
  const { direction } = facts;
  const catalog = withoutAvailability(world.catalog);
  return (row: FileRow, number: number): Planned | null => {
    const missing = missingMembers(row.body, shared, catalog, direction);
    const whole = { ...row.body, ...missing };
    const checked = checkRow(catalog, direction, whole, world.supportsBank);
    if (!('reference' in checked)) {
      for (const { field, message } of checked) problems.add(row.line, field, message);
      return null;
    }
    const { reference, currency, amount, minor, decimals } = checked;
    const body = bodyText(row, missing);
    const key = deriveKey(facts, reference, 0);
    const fixed = { number, reference, currency, amount, generation: 0, key, body };
    const referenceMark = markOf(foldReference(reference));
    const twinMark = markOf(currency, String(minor), partyText(whole, direction));
    return { ...fixed, line: row.line, minor, decimals, seal: sealOf(fixed), referenceMark, twinMark };
  };
}

function count(currencies: Map<string, CurrencyTotal>, { currency, minor, decimals }: Planned): void {
  const sum = currencies.get(currency) ?? { rows: 0, minor: 0n, decimals };
  currencies.set(currency, { decimals, rows: sum.rows + 1, minor: sum.minor + minor });
}
