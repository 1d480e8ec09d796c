/** What the store of batches is as a database: its tables, and how the files of older versions become those of today. */
import { markOf, referenceMark, twinMark } from '../../contract/marks.js';
import type { Direction } from '../../contract/operation.js';
import { canonicalOrigin } from '../../contract/access.js';
import type { DatabaseKind, MigrationDatabase } from '../../runtime/database-kind.js';
import { sealOf } from '../key.js';
import { BATCHES, BODIES, BOOK, DECISIONS, ROWS_TABLE } from './tables.js';

export const BATCHES_KIND = {
  name: 'store of batches',
  whenGone:
    'Then run the batch again from its file: the keys of its rows are the same, and what was paid is found in the events.',
  version: 4,
  /** "svcb". */
  applicationId: 0x73766362,
  schema: BATCHES + ROWS_TABLE + BODIES + DECISIONS + BOOK,
  migrations: [{ from: 3, run: namePayments }],
} as const satisfies DatabaseKind;

const BLOCK_ROWS = 1000;

interface OldBatch {
  readonly batch: number;
  readonly direction: string;
  readonly address: string;
}

interface OldRow {
  readonly batch: number;
  readonly number: number;
  readonly line: number;
  readonly reference: string;
  readonly currency: string;
  readonly amount: string;
  readonly minor: number | bigint;
  readonly generation: number;
  readonly key: string;
  readonly seal: Uint8Array;
  readonly twin_mark: Uint8Array;
  readonly state: string;
  readonly sent_at: number | null;
  readonly operation: string | null;
  readonly code: string | null;
  readonly detail: string | null;
  readonly body: string | null;
}

/**
 * From version 3 to 4: keys name payments, so references and accounts are marked anew, and generations count from 1.
 * Rows keep the keys they were planned with: some may have left under them. Plans that never became batches go. A row whose key had made
 * another payment waits for a person since.
 */
function namePayments(db: MigrationDatabase): void {
  db.exec(
    'DELETE FROM rows WHERE batch NOT IN (SELECT batch FROM batches WHERE ready = 1); ' +
      'DELETE FROM bodies WHERE batch NOT IN (SELECT batch FROM batches WHERE ready = 1); ' +
      'DELETE FROM batches WHERE ready <> 1; DROP INDEX batches_name; ' +
      'ALTER TABLE batches RENAME TO old_batches; ALTER TABLE rows RENAME TO old_rows;',
  );
  db.exec(BATCHES + ROWS_TABLE + BOOK);
  for (const { batch, direction, address } of db
    .query<OldBatch>('SELECT batch, direction, address FROM old_batches')
    .all()) {
    db.run(
      'INSERT INTO batches (batch, name, ready, direction, environment, address, origin, profile, key_mask, file, file_hash, row_count, totals, ' +
        'created_at, confirmed_at, swept_at) SELECT batch, name, ready, direction, environment, address, ?, profile, key_mask, file, ' +
        'file_hash, row_count, totals, created_at, confirmed_at, swept_at FROM old_batches WHERE batch = ?',
      canonicalOrigin(address),
      batch,
    );
    moveRows(db, batch, direction as Direction);
  }
  db.exec(
    'INSERT INTO known_references (mark, batch, number) SELECT reference_mark, batch, number FROM rows ORDER BY reference_mark, batch, number; ' +
      'UPDATE decisions SET generation = generation + 1; DROP TABLE old_rows; DROP TABLE old_batches;',
  );
}

function moveRows(db: MigrationDatabase, batch: number, direction: Direction): void {
  const block = db.query<OldRow>(
    'SELECT r.*, b.body AS body FROM old_rows r LEFT JOIN bodies b ON b.batch = r.batch AND b.number = r.number ' +
      'WHERE r.batch = ? AND r.number > ? ORDER BY r.number LIMIT ?',
  );
  for (let after = -1; ;) {
    const rows = block.all(batch, after, BLOCK_ROWS);
    for (const row of rows) insertRow(db, row, direction);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.number;
  }
}

function insertRow(db: MigrationDatabase, row: OldRow, direction: Direction): void {
  const isConflict = row.state === 'conflict';
  db.run(
    'INSERT INTO rows (batch, number, line, reference, currency, amount, minor, ordinal, generation, key, seal, reference_mark, twin_mark, ' +
      'state, sent_at, operation, status, code, detail) VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ...[
      row.batch,
      row.number,
      row.line,
      row.reference,
      row.currency,
      row.amount,
      row.minor,
      row.generation + 1,
    ],
    ...[row.key, resealed(row), referenceMark(row.reference), twinOf(row, direction)],
    ...[
      isConflict ? 'needs_review' : row.state,
      row.sent_at,
      row.operation,
      statusOf(row),
      row.code,
      row.detail,
    ],
  );
}

/** A row that was not what was planned stays so: its seal is not made good. */
function resealed(row: OldRow): Uint8Array {
  const { number, reference, currency, amount, generation, key, body, seal } = row;
  if (body === null) return seal;
  const old = markOf(`${number}\0${reference}\0${currency}\0${amount}\0${generation}\0${key}\0${body}`);
  if (Buffer.compare(old, seal) !== 0) return seal;
  return sealOf({ number, reference, currency, amount, ordinal: 0, generation: generation + 1, key, body });
}

/** Where the body is gone, the mark of the version before finds nothing, and nothing is left to make another of. */
function twinOf({ body, twin_mark: old }: OldRow, direction: Direction): Uint8Array {
  try {
    return body === null ? old : twinMark(JSON.parse(body) as Record<string, unknown>, direction);
  } catch {
    return old;
  }
}

function statusOf({ state, operation }: OldRow): string | null {
  if (operation === null) return null;
  const known: Readonly<Record<string, string>> = {
    confirmed: 'confirmed',
    failed: 'failed',
    accepted: 'pending',
  };
  return known[state] ?? null;
}
