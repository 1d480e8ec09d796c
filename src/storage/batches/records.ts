import { hash } from 'node:crypto';
import { type Environment, ENVIRONMENTS } from '../../contract/access.js';
import { type Direction, DIRECTIONS } from '../../contract/operation.js';
import { Failure } from '../../runtime/failure.js';
import {
  type BATCH_COLUMNS,
  PLAN_COLUMNS,
  SEALED_COLUMNS,
  OUTCOME_COLUMNS,
  type ROW_COLUMNS,
} from './tables.js';
import { type FileRecord, type SharedRecord, wholeMs } from '../tables/column-tables.js';
import { isRowState, type RowState } from './row-state.js';
import type { Batch, BatchFacts, BatchTotals, CurrencyTotal, KeptSignature } from './batch-store.js';
import type { Claim, ClaimedRow, PlannedRow, ShownRow, RowStatus, TallyEntry } from './row.js';
import { sentMomentOf } from './row-clocks.js';
import { sumOf } from './tally.js';

export interface TakenRow extends Omit<ClaimedRow, 'body'> {
  readonly body: string;
}

export type BatchRecord = Omit<FileRecord<typeof BATCH_COLUMNS>, 'ready'> &
  Partial<Pick<SharedRecord<typeof BATCH_COLUMNS>, 'confirmed_by'>>;

type RowCells = FileRecord<typeof ROW_COLUMNS>;

export const TAKEN_COLUMNS = [...SEALED_COLUMNS, 'seal', 'state', 'sent_at', 'sent_clocks'] as const;
export type RowRecord = Pick<RowCells, (typeof TAKEN_COLUMNS)[number]> & { readonly body: string | null };

export const SHOWN_COLUMNS = [...SEALED_COLUMNS, 'state', 'sent_at', ...OUTCOME_COLUMNS] as const;
export type ShownRecord = Pick<RowCells, (typeof SHOWN_COLUMNS)[number]> & { readonly twinMark: string };

export function planCells(facts: BatchFacts): (string | number | null)[] {
  const cells: Pick<BatchRecord, (typeof PLAN_COLUMNS)[number]> = {
    name: facts.name,
    direction: facts.direction,
    environment: facts.environment,
    address: facts.address,
    origin: facts.origin,
    company: facts.company,
    since: wholeMs(facts.sinceMs),
    profile: facts.profile,
    key_mask: facts.keyMask,
    file: facts.file,
    created_at: Math.round(facts.createdAtMs),
    plan_head: facts.approval?.head ?? null,
    plan_digest: facts.approval?.digest ?? null,
    plan_approvals: facts.approval?.asked?.approvals ?? null,
    plan_signers: facts.approval?.asked?.signers ?? null,
  };
  return PLAN_COLUMNS.map((name) => cells[name]);
}

export const PLANNED_STATUS = {
  ...{ state: 'planned', operation: null, status: null, operationAtMs: null, code: null, detail: null },
} as const satisfies RowStatus;

export function plannedCells(
  row: PlannedRow,
  seal: Uint8Array,
  convert: (text: string | null) => string | null = (text) => text,
): (string | number | bigint | Uint8Array | null)[] {
  const { state, operation, status, operationAtMs, code, detail } = row.earlier ?? PLANNED_STATUS;
  return [
    ...[row.number, row.line, row.reference, row.currency, row.amount, row.minor, row.follows],
    ...[row.generation, row.key, seal, row.referenceMark, row.twinMark, state],
    ...[convert(operation), convert(status), wholeMs(operationAtMs), convert(code), convert(detail)],
  ];
}

export function signatureCells({ name, bytes, signer }: KeptSignature): (Uint8Array | string | null)[] {
  return [hash('sha256', bytes, 'buffer'), name, bytes, signer];
}

export function damagedStore(what: string, cause?: unknown): Failure {
  const text =
    `The store of batches is damaged: ${what}. Nothing more was sent. Move the file away, and run the batch again from its file: its rows ` +
    'have the same keys, and what was paid is found in the events.';
  return new Failure('local_state', text, { code: 'store_damaged', cause });
}

export function storeError(error: unknown): Failure {
  return error instanceof Failure ? error : damagedStore(String(error), error);
}

export function stateOf(text: string): RowState {
  if (isRowState(text)) return text;
  throw damagedStore(`a row stands at ${JSON.stringify(text)}`);
}

export function batchOf(record: BatchRecord): Batch {
  const isPlausible =
    (ENVIRONMENTS as readonly string[]).includes(record.environment) &&
    (DIRECTIONS as readonly string[]).includes(record.direction) &&
    ![record.name, record.origin].some((text) => text.includes('\0'));
  if (!isPlausible) throw damagedStore('what a batch is cannot be read');
  return {
    id: record.batch,
    name: record.name,
    direction: record.direction as Direction,
    environment: record.environment as Environment,
    address: record.address,
    origin: record.origin,
    company: record.company,
    sinceMs: record.since,
    profile: record.profile,
    keyMask: record.key_mask,
    file: record.file,
    fileHash: record.file_hash,
    rows: record.row_count,
    currencies: currenciesOf(record.totals),
    createdAtMs: record.created_at,
    approval: approvalOf(record),
    confirmedAtMs: record.confirmed_at,
    confirmation: confirmationOf(record),
  };
}

export const NOT_LEAVING: Pick<Claim, 'nowMs' | 'moment'> = {
  nowMs: 0,
  moment: { serviceMs: null, wallMs: 0, bootId: '', bootMs: 0 },
};

export function takenRowOf(record: RowRecord, now: Pick<Claim, 'nowMs' | 'moment'>): TakenRow {
  const { number, line, reference, currency, amount, follows, generation, key, body } = record;
  if (body === null) throw damagedStore(`the body of line ${line} is gone`);
  const stateBefore = stateOf(record.state);
  const sentAtMs = record.sent_at ?? now.nowMs;
  const sentMoment = record.sent_at === null ? now.moment : sentMomentOf(record.sent_at, record.sent_clocks);
  const sealedRow = { number, line, reference, currency, amount, follows, generation, key };
  return { ...sealedRow, body, stateBefore, sentAtMs, sentMoment };
}

export function claimedRowOf({ body, ...row }: TakenRow): ClaimedRow {
  return { ...row, body: Buffer.from(body) };
}

export function shownRowOf(record: ShownRecord): ShownRow {
  const { state, sent_at: sentAtMs, operation_at: operationAtMs, ...cells } = record;
  return { ...cells, state: stateOf(state), sentAtMs, operationAtMs };
}

export function totalsText({ currencies }: BatchTotals): string {
  return JSON.stringify(
    [...currencies].map(([code, { decimals, rows, minor }]) => [code, decimals, rows, String(minor)]),
  );
}

function approvalOf(record: BatchRecord) {
  const { plan_head: head, plan_digest: digest, plan_approvals: approvals, plan_signers: signers } = record;
  if (head === null && digest === null && approvals === null && signers === null) return null;
  if (head === null || digest === null || (approvals === null && signers !== null))
    throw damagedStore('half of what was approved of a batch is gone');
  return { head, digest, asked: approvals === null ? null : { approvals, signers } };
}

function confirmationOf({ confirmed_by: by = null, confirmed_totals: text }: BatchRecord) {
  if (text === null) return null;
  try {
    return { by, totals: new Map(JSON.parse(text) as [string, { rows: number; total: string }][]) };
  } catch {
    throw damagedStore('what was confirmed of a batch cannot be read');
  }
}

function currenciesOf(text: string): Map<string, CurrencyTotal> {
  try {
    const entries = JSON.parse(text) as [string, number, number, string][];
    return new Map(
      entries.map(([code, decimals, rows, minor]) => [code, { decimals, rows, minor: BigInt(minor) }]),
    );
  } catch {
    throw damagedStore('the totals of a batch cannot be read');
  }
}

export function remainingTotals(
  { fileHash, currencies }: BatchTotals,
  remaining: readonly TallyEntry[],
): BatchTotals {
  const sums = [...currencies].flatMap(([currency, { decimals }]) => {
    const sum = sumOf(remaining, (entry) => entry.currency === currency);
    return sum.rows === 0 ? [] : [[currency, { decimals, ...sum }] as const];
  });
  return { fileHash, rows: sumOf(remaining, () => true).rows, currencies: new Map(sums) };
}
