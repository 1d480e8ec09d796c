/** The tables of a feed in a file of SQLite, which other programs read. */
import { columnLines, EVENT_COLUMNS, OPERATION_COLUMNS, takesPlace } from '../columns.js';
import { INTO_VERSION } from '../table.js';

/** Amounts are texts, which are exact; times too. */
const typeOf = (type: string): string => (type === 'bigint' ? 'INTEGER' : type === 'bytea' ? 'BLOB' : 'TEXT');

export const INTO_KIND = {
  name: 'table of events',
  whenGone: 'The events are read again from the start.',
  version: INTO_VERSION,
  /** "svce". */
  applicationId: 0x73766365,
  tuning: { pageBytes: 4096, logPages: 8000 },
  schema: `
CREATE TABLE svc_events (\n${columnLines('svc_events', typeOf)}\n) STRICT;
CREATE TABLE svc_operations (\n${columnLines('svc_operations', typeOf)}\n) STRICT;
CREATE TABLE svc_feed (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL,
  environment TEXT NOT NULL,
  origin TEXT NOT NULL,
  position TEXT,
  events INTEGER NOT NULL DEFAULT 0,
  newest_operation TEXT,
  written_at TEXT,
  sequence INTEGER NOT NULL DEFAULT 0
) STRICT;
`,
} as const;

export const EVENT_NAMES = Object.keys(EVENT_COLUMNS);
export const OPERATION_NAMES = Object.keys(OPERATION_COLUMNS);

const marks = (names: readonly string[]): string => names.map(() => '?').join(', ');
const excluded = (names: readonly string[]): string =>
  names.map((name) => `${name} = excluded.${name}`).join(', ');
/** An event that comes again stays where it came first, and is as it is now. */
const AGAIN = EVENT_NAMES.filter((name) => name !== 'number' && name !== 'id');

export const PUT_EVENT = `INSERT INTO svc_events (${EVENT_NAMES.join(', ')}) VALUES (${marks(EVENT_NAMES)})
ON CONFLICT (id) DO UPDATE SET ${excluded(AGAIN)}`;

export const PUT_OPERATION = `INSERT INTO svc_operations AS o (${OPERATION_NAMES.join(', ')}) VALUES (${marks(OPERATION_NAMES)})
ON CONFLICT (id) DO UPDATE SET ${excluded(OPERATION_NAMES)} WHERE ${takesPlace('')}`;

export const BEGIN_FEED_FILE = `INSERT INTO svc_feed (one, version, environment, origin) VALUES (1, ${String(INTO_VERSION)}, ?, ?) ON CONFLICT DO NOTHING`;

/** Fence and place in one: only behind what was read here. */
export const MOVE_FEED =
  'UPDATE svc_feed SET position = ?, events = ?, newest_operation = coalesce(?, newest_operation), written_at = ?, sequence = sequence + 1 WHERE sequence = ?';
