/** Rows of a batch in PostgreSQL as they stand: to be shown, and, with their bodies, to be looked at before anything is taken. */
import type { Connection } from '../../../state/connection.js';
import type { BatchStore } from '../batch-store.js';
import { type ShowsRows, shownRowsOver, type Window } from '../reads.js';
import { listed } from '../../../state/table.js';
import { SHOWN, shownOf, type ShownRecord } from '../records.js';
import type { StampedRow } from './leaving-stamp.js';
import type { KeptSeals } from './sealing.js';
import { claimed, type TakenRecord } from './taking.js';

const SELECT_SHOWN = `SELECT ${listed(SHOWN)}, sent_clocks, left_seal, encode(twin_mark, 'hex') AS "twinMark" FROM svc.rows`;
/** $1 batch, $2 after, $3 up to, $4 count, $5 states */
const PEEK =
  'SELECT r.*, (SELECT b.body FROM svc.bodies b WHERE b.batch = $1 AND b.number = r.number) AS body FROM svc.rows r ' +
  'WHERE r.batch = $1 AND r.number > $2 AND r.number <= $3 AND r.state = ANY ($5) ORDER BY r.number LIMIT $4';

export function sharedRowsOver(
  connection: Connection,
  seals: KeptSeals,
): ReturnType<typeof shownRowsOver> & Pick<BatchStore, 'peek'> {
  const shown: ShowsRows['shown'] = async (rest, batch, ...values) => {
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
  return {
    ...shownRowsOver({
      shown,
      inWindows: (batch, block, read) => rowsInWindows(connection, batch, block, read),
      hasMark: 'reference_mark = $2',
    }),
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

const LAST = 'SELECT max(number) AS last FROM svc.rows WHERE batch = $1';

/**
 * The next rows that `read` finds, in their order; where they are few, each window is twice as wide as the one before. A new batch is not in the
 * statistics: the database takes it for a few rows, and would read all that is behind the cursor, and sort it, for each block.
 */
export async function rowsInWindows<Row>(
  connection: Connection,
  batch: number,
  { after: first, count }: Omit<Window, 'upTo'>,
  read: (window: Window) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  let last = null as number | null;
  for (let [after, width] = [first, count]; ; [after, width] = [after + width, 2 * width]) {
    found.push(...(await read({ after, upTo: after + width, count: count - found.length })));
    if (found.length >= count) return found;
    last ??= (await connection.run<{ last: number | null }>(LAST, [batch])).rows[0]?.last ?? -1;
    if (after + width >= last) return found;
  }
}
