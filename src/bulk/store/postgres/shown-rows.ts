/** Rows of a batch in PostgreSQL as they stand: to be shown, and, with their bodies, to be looked at before anything is taken. */
import type { Connection } from '../../../state/connection.js';
import type { BatchStore } from '../batch-store.js';
import { IS_PENDING } from '../conditions.js';
import { listed } from '../../../state/table.js';
import { SHOWN, shownOf, type ShownRecord } from '../records.js';
import type { ShownRow } from '../row.js';
import type { StampedRow } from './leaving-stamp.js';
import type { KeptSeals } from './sealing.js';
import { claimed, type TakenRecord } from './taking.js';
import { rowsInWindows, type Window } from './windows.js';

const SELECT_SHOWN = `SELECT ${listed(SHOWN)}, sent_clocks, left_seal, encode(twin_mark, 'hex') AS "twinMark" FROM svc.rows`;
/** $1 batch, $2 after, $3 up to, $4 count, $5 states */
const PEEK =
  'SELECT r.*, (SELECT b.body FROM svc.bodies b WHERE b.batch = $1 AND b.number = r.number) AS body FROM svc.rows r ' +
  'WHERE r.batch = $1 AND r.number > $2 AND r.number <= $3 AND r.state = ANY ($5) ORDER BY r.number LIMIT $4';

const WITH_OPERATION =
  "operation IS NOT NULL AND starts_with(lower(operation), $5::text) AND (coalesce(status, '') NOT IN ('confirmed', 'failed') OR " +
  'coalesce(operation_at, sent_at, 0) >= $6::bigint)';

type ShownRows = Pick<
  BatchStore,
  'rows' | 'pendingRows' | 'operationRows' | 'rowOfMark' | 'rowOf' | 'largest' | 'peek'
>;

export function shownRowsOver(connection: Connection, seals: KeptSeals): ShownRows {
  const shown = async (rest: string, batch: number, ...values: readonly unknown[]): Promise<ShownRow[]> => {
    const sql = `${SELECT_SHOWN} WHERE batch = $1 ${rest}`;
    const { rows } = await connection.run<ShownRecord & StampedRow>(sql, [batch, ...values]);
    if (rows.length === 0) return [];
    const { stamps } = await seals.of(batch);
    return rows.map(({ left_seal: stamp, sent_clocks: clocks, ...record }) => {
      // A moment that nobody wrote is none: whoever decides by it decides as if nobody knew it.
      const isWhole = stamps.isWhole({ ...record, sent_clocks: clocks, left_seal: stamp });
      return shownOf(isWhole ? record : { ...record, sent_at: null });
    });
  };
  const inWindows = (
    batch: number,
    block: Omit<Window, 'upTo'>,
    which: string,
    ...values: readonly unknown[]
  ): Promise<ShownRow[]> =>
    rowsInWindows(connection, batch, block, ({ after, upTo, count }) =>
      shown(
        `AND number > $2 AND number <= $3 AND (${which}) ORDER BY number LIMIT $4`,
        batch,
        ...[after, upTo, count, ...values],
      ),
    );
  return {
    rows: (batch, after, count, states) =>
      inWindows(batch, { after, count }, '$5::text[] IS NULL OR state = ANY ($5)', states ?? null),
    pendingRows: (batch, after, count) => inWindows(batch, { after, count }, IS_PENDING),
    operationRows: (batch, after, count, { beginning, sinceMs }) =>
      inWindows(batch, { after, count }, WITH_OPERATION, beginning, sinceMs ?? Number.MIN_SAFE_INTEGER),
    rowOfMark: async (batch, mark) =>
      (await shown('AND reference_mark = $2 ORDER BY number LIMIT 1', batch, Buffer.from(mark)))[0] ?? null,
    rowOf: async (batch, reference) =>
      (await shown('AND reference = $2 ORDER BY number LIMIT 1', batch, reference))[0] ?? null,
    largest: (batch, count, states) =>
      shown('AND state = ANY ($3) ORDER BY minor DESC, number LIMIT $2', batch, count, states),
    peek: async (batch, { after, count, states }) => {
      const records = await rowsInWindows(connection, batch, { after, count }, async (window) => {
        const values = [batch, window.after, window.upTo, window.count, states];
        return (await connection.run<TakenRecord>(PEEK, values)).rows;
      });
      const sealsHere = await seals.of(batch);
      return records.map((record) => claimed(record, null, sealsHere));
    },
  };
}
