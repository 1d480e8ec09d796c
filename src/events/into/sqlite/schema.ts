/** The tables of a feed in a file of SQLite, which other programs read. */
import { preferredSql } from '../../../contract/operation-facts.js';
import { columnLines, EVENT_COLUMNS, OPERATION_COLUMNS } from '../rows.js';
import { INTO_VERSION } from '../table.js';

/** Amounts are texts, which are exact; times too. */
const typeOf = (type: string): string => (type === 'bigint' ? 'INTEGER' : type === 'bytea' ? 'BLOB' : 'TEXT');

/** An index over random ids is written all over: while many come at once there is none. */
const unindexed = (lines: string): string =>
  lines.replace(' UNIQUE', '').replace('id TEXT PRIMARY KEY', 'id TEXT NOT NULL');

/** What is made once the first reading has no more than a little left to write. */
export const INDEXES = {
  svc_events: 'CREATE UNIQUE INDEX svc_events_id ON svc_events (id)',
  svc_operations: 'CREATE UNIQUE INDEX svc_operations_id ON svc_operations (id)',
} as const;

export const INTO_KIND = {
  name: 'events table',
  whenGone: 'svc then reads the events again from the start.',
  version: INTO_VERSION,
  /** "svce". */
  applicationId: 0x73766365,
  tuning: { pageBytes: 4096, logPages: 8000 },
  schema: `
CREATE TABLE svc_events (\n${unindexed(columnLines('svc_events', typeOf))}\n) STRICT;
CREATE TABLE svc_operations (\n${unindexed(columnLines('svc_operations', typeOf))}\n) STRICT;
CREATE TABLE svc_feed (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL,
  environment TEXT NOT NULL,
  origin TEXT NOT NULL,
  position TEXT,
  events INTEGER NOT NULL DEFAULT 0,
  newest_operation TEXT,
  written_at TEXT,
  indexed INTEGER NOT NULL DEFAULT 0,
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

/** The two without an index, */
export const ADD_EVENT = `INSERT INTO svc_events (${EVENT_NAMES.join(', ')}) VALUES (${marks(EVENT_NAMES)})`;
export const ADD_OPERATION = `INSERT INTO svc_operations AS o (${OPERATION_NAMES.join(', ')}) VALUES (${marks(OPERATION_NAMES)})`;
/** and with it: each id once. */
export const PUT_EVENT = `${ADD_EVENT} ON CONFLICT (id) DO UPDATE SET ${excluded(AGAIN)}`;
export const PUT_OPERATION = `${ADD_OPERATION} ON CONFLICT (id) DO UPDATE SET ${excluded(OPERATION_NAMES)} WHERE ${preferredSql('event', '')}`;

export const BEGIN_FEED_FILE = `INSERT INTO svc_feed (one, version, environment, origin) VALUES (1, ${String(INTO_VERSION)}, ?, ?) ON CONFLICT DO NOTHING`;

/** Fence and place in one: only behind what was read here. */
export const MOVE_FEED =
  'UPDATE svc_feed SET position = ?, events = ?, newest_operation = coalesce(?, newest_operation), written_at = ?, sequence = sequence + 1 WHERE sequence = ?';
