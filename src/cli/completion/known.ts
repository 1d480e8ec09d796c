/** Ids and names known to this machine, for shell completion: read from its stores, without a request. */
import { join } from 'node:path';
import { BATCHES_KIND } from '../../bulk/store/schema.js';
import { isFinal } from '../../contract/operation.js';
import { JOURNAL_KIND } from '../../state/journal-tables.js';
import { MIRRORS_KIND } from '../../mirror/store/schema.js';
import { rowsAsTheyAre } from '../../runtime/database-file.js';
import type { Paths } from '../../runtime/folders.js';
import type { KnownKind, Value } from './spec.js';
import { distinct } from './values.js';

/** How many of each store, the newest first: nobody reads more, and a shell waits for them. */
const NEWEST = 50;
/** Rows of batches that are looked through for them. */
const LOOKED_AT = 1000;

interface CompletedOperation {
  readonly id: string;
  readonly direction: string;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly status: string | null;
  readonly environment: string;
}

/** The newest first. Never throws: what cannot be read is not known. */
export function knownHere(kind: KnownKind, { state }: Paths): readonly Value[] {
  if (kind === 'batches') return batches(state);
  const found = new Map<string, CompletedOperation>();
  for (const operation of [...ofFeed(state), ...ofCreates(state), ...ofBatches(state)])
    // What the feed says is final: it replaces an earlier note.
    if (!found.has(operation.id)) found.set(operation.id, operation);
  const isAsked = ({ direction, status }: CompletedOperation): boolean =>
    (kind === 'operations' || kind.endsWith(`${direction}s`)) &&
    !(kind.startsWith('pending') && isFinal(status ?? ''));
  return distinct(
    [...found.values()]
      .filter(isAsked)
      .map((operation) => ({ value: operation.id, label: labelOf(operation) })),
  );
}

function labelOf({ direction, amount, currency, status, environment }: CompletedOperation): string {
  const money = amount === null ? '' : ` ${amount} ${currency ?? ''}`.trimEnd();
  return `${direction}${money} ${status ?? 'pending'} ${environment}`;
}

function batches(state: string): readonly Value[] {
  const named = rowsAsTheyAre<{ name: string; direction: string; environment: string; row_count: number }>(
    join(state, 'batches.db'),
    BATCHES_KIND,
    `SELECT name, direction, environment, row_count FROM batches ORDER BY batch DESC LIMIT ${String(NEWEST)}`,
  );
  return distinct(
    named.map(({ name, direction, environment, row_count: count }) => ({
      value: name,
      label: `${String(count)} ${direction}s ${environment}`,
    })),
  );
}

const COLUMNS = 'direction, amount, currency, status, environment';

function ofFeed(state: string): CompletedOperation[] {
  const sql = `SELECT operations.id AS id, ${COLUMNS} FROM operations JOIN companies USING (company)
    ORDER BY row DESC LIMIT ${String(NEWEST)}`;
  return rowsAsTheyAre(join(state, 'feed.db'), MIRRORS_KIND, sql);
}

function ofCreates(state: string): CompletedOperation[] {
  const sql = `SELECT operation AS id, ${COLUMNS} FROM requests WHERE operation IS NOT NULL
    ORDER BY row DESC LIMIT ${String(NEWEST)}`;
  return rowsAsTheyAre(join(state, 'requests.db'), JOURNAL_KIND, sql);
}

function ofBatches(state: string): CompletedOperation[] {
  const newest = `SELECT batch, operation, amount, currency, status FROM rows ORDER BY batch DESC, number DESC LIMIT ${String(LOOKED_AT)}`;
  const sql = `SELECT operation AS id, ${COLUMNS} FROM (${newest}) JOIN batches USING (batch) WHERE operation IS NOT NULL
    LIMIT ${String(NEWEST)}`;
  return rowsAsTheyAre(join(state, 'batches.db'), BATCHES_KIND, sql);
}
