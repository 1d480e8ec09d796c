import { breaking, harnessOf } from '../broken.js';
import type { Change } from '../../../scripts/mutate/places.js';

/** A writer that is away for this long has lost the tables. */
export const LEASE_MS = 1000;

export const IMPATIENT = breaking(
  ['LEASE_MS', 'EVENTS_MAX', 'FIRST_WAIT_MS'],
  ['LEASE_MS = 15_000', `LEASE_MS = ${String(LEASE_MS)}`],
  ['EVENTS_MAX = 1000;', 'EVENTS_MAX = 30;'],
  ['FIRST_WAIT_MS = 1000', 'FIRST_WAIT_MS = 200'],
);

const LATER =
  'then(() => new Promise((done) => setTimeout(done, 40))).then(() => table.write(batchToWrite, position))';
const PLACE_FIRST = `table.write(new EventBatch(batchToWrite.lastNumber), position).${LATER}`;

export const BROKEN_WRITERS = {
  'the place is committed before the events': [
    breaking('tableFillerOf', ['table.write(batchToWrite, position)', PLACE_FIRST]),
  ],
  'an event that comes again is a row more': [
    breaking(
      'CONSTRAINTS',
      ["'svc_events.number': ' PRIMARY KEY'", "'svc_events.number': ''"],
      ["' NOT NULL UNIQUE'", "''"],
    ),
    breaking('add', ['.set(event.id,', '.set(`${event.id} ${this.lastNumber}`,']),
    breaking(
      ['PUT_EVENT', 'INDEXES'],
      ['ON CONFLICT (id) DO UPDATE SET ${excludedColumns(UPDATED_COLUMNS)}`', '`'],
      ['CREATE UNIQUE INDEX svc_events_id', 'CREATE INDEX svc_events_id'],
    ),
    breaking('WRITE_ROWS', ['writeSql(UPDATE_EVENTS, UPDATE_OPERATIONS)', "writeSql('', UPDATE_OPERATIONS)"]),
  ],
  'no fence': [
    breaking(
      ['writeSql', 'RENEW_LEASE'],
      ['f.holder = $1 AND f.sequence = $2::text::bigint RETURNING', "($1, $2::text) <> ('', '') RETURNING"],
      ['WHERE f.holder = $1 RETURNING', "WHERE $1 <> '' RETURNING"],
    ),
    breaking('writerOver', ['renewedRow.sequence !== sequence', 'renewedRow.sequence === -1']),
  ],
} as const satisfies Readonly<Record<string, readonly Change[]>>;

export type BrokenInto = keyof typeof BROKEN_WRITERS;

export const intoProgram = harnessOf('into', [IMPATIENT], BROKEN_WRITERS);
