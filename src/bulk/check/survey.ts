/** Asks of every row that is about to leave whether it was paid already, block by block, and records what the feed settles. */
import { foldReference } from '../../contract/reference.js';
import { isOneOf, NEVER_SENT, type RowState } from '../row-state.js';
import { renewedNow } from '../run/renewal.js';
import { endOf, isUnsure, TOO_OLD } from '../run/verdict.js';
import type { BatchStore } from '../store/batch-store.js';
import type { Batch } from '../store/batch.js';
import type { RenewedRow, RowResult, ShownRow } from '../store/row.js';
import { rowBlocks } from '../store/row-blocks.js';
import { evidenceOf, type EvidenceWorld } from './evidence.js';
import { findingOf, type RowFinding } from './finding.js';
import { identityOf, type Identity } from './identity.js';
import type { PaidRows } from './paid-rows.js';
import { paymentsIn } from './payments.js';

export interface SurveyWorld extends EvidenceWorld {
  readonly store: Pick<BatchStore, 'others' | 'rows' | 'pendingRows' | 'exchange' | 'peek' | 'renew'>;
}

export interface SurveyOptions {
  readonly states: readonly RowState[];
  readonly skipsPaid: boolean;
  readonly paid: PaidRows;
  readonly signal: AbortSignal;
}

/**
 * Looks at every row in these states. Open ones that the feed settles are settled; those that were paid already and are to be skipped stand
 * as `earlier`; the others that were paid go to `paid`. A row that never left gets the key that a plan would give it now: since it was planned,
 * tries of its payment may have failed elsewhere, and the one that is under way there has the next key.
 * @throws the signal's reason; what the store and the feed throw
 */
export async function surveyRows(batch: Batch, options: SurveyOptions, world: SurveyWorld): Promise<void> {
  const { states, skipsPaid, paid, signal } = options;
  for await (const rows of rowBlocks((...block) => world.store.rows(batch.id, ...block, states))) {
    signal.throwIfAborted();
    const results: RowResult[] = [];
    const renewed: RenewedRow[] = [];
    for (const { row, finding, identity } of await findingsOf(batch, rows, skipsPaid, world)) {
      if (finding.kind === 'send' && isOneOf(NEVER_SENT, row.state))
        renewed.push(...(await renewedNow(batch, row, identity, world)));
      else if (finding.kind === 'paid') paid.add({ ...row, payments: finding.payments }, finding.isSkippable);
      else if (finding.kind !== 'send') results.push(resultOf(row, finding.standing));
    }
    if (results.length > 0) await world.store.exchange(batch.id, results, null);
    if (renewed.length > 0) await world.store.renew(batch.id, renewed);
  }
}

/** Gives every row whose operation was pending the end that the feed knows. */
export async function settlePending(batch: Batch, { store, knowledge }: SurveyWorld): Promise<void> {
  for await (const rows of rowBlocks((...block) => store.pendingRows(batch.id, ...block))) {
    const ids = rows.flatMap(({ operation }) => (operation === null ? [] : [operation]));
    const operations = await knowledge.ofIds(ids);
    const results = rows.flatMap((row) => {
      const operation = row.operation === null ? undefined : operations.get(row.operation);
      const standing = operation === undefined ? null : endOf(row, operation);
      return standing === null ? [] : [resultOf(row, standing)];
    });
    if (results.length > 0) await store.exchange(batch.id, results, null);
  }
}

/**
 * Rows that are too old to be sent again wait for a person, unless the feed has said since what became of them. Where it was only that the clocks
 * did not say how old they are, they are looked at anew.
 */
export async function settleTooOld(batch: Batch, world: SurveyWorld): Promise<void> {
  for await (const waiting of rowBlocks((...block) =>
    world.store.rows(batch.id, ...block, ['needs_review']),
  )) {
    // An operation that one of them names is only what older versions had found: nothing has settled it yet.
    const rows = waiting
      .filter((row) => row.code === TOO_OLD.code || isUnsure(row))
      .map((row) => ({ ...row, operation: null }));
    const results = (await findingsOf(batch, rows, false, world)).flatMap(({ row, finding }) => {
      if (finding.kind === 'settled') return [resultOf(row, finding.standing)];
      return isUnsure(row) ? [resultOf(row, { ...row, state: 'unknown' })] : [];
    });
    if (results.length > 0) await world.store.exchange(batch.id, results, null);
  }
}

interface Found {
  readonly row: ShownRow;
  readonly finding: RowFinding;
  readonly identity: Identity;
}

async function findingsOf(
  batch: Batch,
  rows: readonly ShownRow[],
  skipsPaid: boolean,
  world: SurveyWorld,
): Promise<Found[]> {
  if (rows.length === 0) return [];
  const evidence = await evidenceOf(batch, rows, world);
  return rows.flatMap((row) => {
    const known = evidence.get(foldReference(row.reference));
    if (known === undefined) return [];
    const payments = paymentsIn(known, batch.direction);
    const candidate = { ...row, direction: batch.direction };
    const finding = findingOf(candidate, payments, { sinceMs: batch.sinceMs, skipsPaid });
    return [{ row, finding, identity: identityOf(known, batch) }];
  });
}

function resultOf(
  { number, sentAtMs, state: before }: ShownRow,
  standing: Omit<RowResult, 'number' | 'sentAtMs'>,
): RowResult {
  return { number, sentAtMs, before, ...standing };
}
