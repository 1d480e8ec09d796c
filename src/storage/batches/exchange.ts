import type { Database } from '../../runtime/database.js';
import type { RowState } from './row-state.js';
import type { Claim, RowResult } from './row.js';
import { clocksText } from './row-clocks.js';
import { columnList, wholeMs } from '../tables/column-tables.js';
import { unlessGone } from './reads.js';
import {
  damagedStore,
  type RowRecord,
  TAKEN_COLUMNS,
  takenRowOf,
  type TakenRow,
  NOT_LEAVING,
} from './records.js';
import { isIntact } from './seal.js';

const SELECT_TAKEN = `SELECT ${columnList(TAKEN_COLUMNS)}, (SELECT body FROM bodies b WHERE b.batch = rows.batch AND b.number = rows.number) AS body FROM rows`;

export function exchangeRows(
  db: Database,
  batch: number,
  results: readonly RowResult[],
  claim: Claim | null,
): TakenRow[] {
  for (const result of results) recordResult(db, batch, result);
  if (claim === null) return [];
  const rows = selectRows(db, batch, claim, claim);
  const lastRow = rows.at(-1);
  if (lastRow === undefined) return [];
  const changedCount = db.run(
    "UPDATE rows SET state = 'intent', sent_clocks = CASE WHEN sent_at IS NULL THEN ? ELSE sent_clocks END, " +
      'sent_at = coalesce(sent_at, ?) WHERE batch = ? AND number > ? AND number <= ? ' +
      claimCondition(claim),
    ...[clocksText(claim.moment), Math.round(claim.nowMs), batch, claim.after, lastRow.number],
    ...numberParameters(claim),
  );
  if (changedCount !== rows.length) throw damagedStore('rows were counted twice');
  return rows;
}

export function selectRows(
  db: Database,
  batch: number,
  { after, count, ...filter }: Omit<Claim, 'nowMs' | 'moment'>,
  now: Pick<Claim, 'nowMs' | 'moment'> = NOT_LEAVING,
): TakenRow[] {
  const sql = `${SELECT_TAKEN} WHERE batch = ? AND number > ? ${claimCondition(filter)} ORDER BY number LIMIT ?`;
  return db
    .query<RowRecord>(sql)
    .all(batch, after, ...numberParameters(filter), count)
    .map((record) => {
      const row = takenRowOf(record, now);
      if (isIntact(row, record.seal)) return row;
      throw damagedStore(`the row of line ${row.line} is not what was planned`);
    });
}

function claimCondition({ states, rowNumbers }: Pick<Claim, 'states' | 'rowNumbers'>): string {
  const numbersCondition = rowNumbers === undefined ? '' : ' AND number IN (SELECT value FROM json_each(?))';
  return `AND state IN (${quotedStates(states)})${numbersCondition}`;
}

function numberParameters({ rowNumbers }: Pick<Claim, 'rowNumbers'>): string[] {
  return rowNumbers === undefined ? [] : [JSON.stringify(rowNumbers)];
}

export function recordResult(db: Database, batch: number, result: RowResult): void {
  const { state } = result;
  const changedCount = db.run(
    `UPDATE rows AS r SET state = ?, sent_at = ?, operation = coalesce(?, ${unlessGone('operation', '?')}), status = coalesce(?, ${unlessGone('status', '?')}), ` +
      'operation_at = ?, code = ?, detail = ? WHERE batch = ? AND number = ?',
    ...[state, wholeMs(result.sentAtMs), result.operation, state, result.status, state, result.operationAtMs],
    ...[result.code, result.detail, batch, result.number],
  );
  if (changedCount !== 1) throw damagedStore(`row ${String(result.number)} is gone`);
}

export function quotedStates(states: readonly RowState[]): string {
  return states.map((state) => `'${state}'`).join(', ');
}
