/** The tables of a feed in PostgreSQL, and the statements that write them. Each is its own commit, so that any pooler may stand between. */
import { preferredSql } from '../../../contract/operation-facts.js';
import { columnLines, EVENT_COLUMNS, OPERATION_COLUMNS } from '../rows.js';
import { doBlock, inMs, inSchema, quotedLiteral, quotedName } from '../../../state/sql.js';
import { INTO_VERSION } from '../table.js';

const asIs = (type: string): string => type;

/**
 * `position` is where the feed is read on, `events` how many were read, `newest_operation` one by which it is proved whose feed it is.
 * `sequence` grows with every commit and with every run that takes them; `holder` is a token of that run, `name` how people know it.
 */
const FEED = `CREATE TABLE svc.svc_feed (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  version integer NOT NULL,
  environment text NOT NULL,
  origin text NOT NULL,
  position text,
  events bigint NOT NULL DEFAULT 0,
  newest_operation text,
  written_at timestamptz,
  sequence bigint NOT NULL DEFAULT 0,
  holder text,
  name text,
  lease_until timestamptz
);`;

const TABLES = `CREATE TABLE svc.svc_events (\n${columnLines('svc_events', asIs)}\n);
CREATE TABLE svc.svc_operations (\n${columnLines('svc_operations', asIs)}\n);
${FEED}`;

/** Makes the schema where it is not there: a user without the right to make schemas may still make tables in one. */
export function creatingSql(schema: string): string {
  const made = `IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = ${quotedLiteral(schema)}) THEN CREATE SCHEMA ${quotedName(schema)}; END IF;`;
  return doBlock(`BEGIN\n  ${made}\nEND`) + inSchema(TABLES, schema);
}

/** $1 environment, $2 origin */
export const BEGIN_FEED = `INSERT INTO svc.svc_feed (version, environment, origin) VALUES (${String(INTO_VERSION)}, $1, $2) ON CONFLICT DO NOTHING`;

export const LOOK = `SELECT f.version, f.environment, f.origin, current_setting('server_encoding') AS encoding FROM svc.svc_feed f`;

/** Whose holder is not heard of any more is taken over. $1 token, $2 who, $3 lease in ms */
export const HOLD = `UPDATE svc.svc_feed f SET holder = $1, name = $2, lease_until = ${inMs('$3::text')}, sequence = f.sequence + 1
WHERE f.holder IS NULL OR f.holder = $1 OR f.lease_until < clock_timestamp()
RETURNING f.position, f.events, f.newest_operation, f.sequence`;

export const HOLDER = `SELECT f.holder, f.name, f.lease_until::text AS until,
  greatest(0, extract(epoch FROM f.lease_until - clock_timestamp()) * 1000)::integer AS left_ms FROM svc.svc_feed f`;

/** $1 token, $2 lease in ms */
export const STILL_HOLD = `UPDATE svc.svc_feed f SET lease_until = ${inMs('$2::text')} WHERE f.holder = $1 RETURNING f.sequence`;

/** $1 token */
export const LEAVE = 'UPDATE svc.svc_feed SET holder = NULL WHERE holder = $1';

const EVENTS = Object.keys(EVENT_COLUMNS);
const OPERATIONS = Object.keys(OPERATION_COLUMNS);
/** How many parameters stand before those of the columns. */
const BEFORE = 6;

/** An array of text for each column, which is what it becomes there; bytes are written as digits. */
function rowsIn(columns: Readonly<Record<string, string>>, first: number): string {
  const names = Object.keys(columns);
  const values = Object.entries(columns).map(([name, type]) =>
    type === 'bytea' ? `decode(u.${name}, 'hex')` : type === 'text' ? `u.${name}` : `u.${name}::${type}`,
  );
  const arrays = names.map((_, at) => `$${String(first + at)}::text[]`);
  return `SELECT ${values.join(', ')} FROM unnest(${arrays.join(', ')}) AS u(${names.join(', ')}) WHERE EXISTS (SELECT FROM moved)`;
}

const excluded = (names: readonly string[]): string => names.map((name) => `excluded.${name}`).join(', ');
/** An event that comes again stays where it came first, and is as it is now. */
const AGAIN = EVENTS.filter((name) => name !== 'number' && name !== 'id');

const EVENTS_AGAIN = `ON CONFLICT (id) DO UPDATE SET (${AGAIN.join(', ')}) = (${excluded(AGAIN)})
  WHERE (${AGAIN.map((name) => `e.${name}`).join(', ')}) IS DISTINCT FROM (${excluded(AGAIN)})`;
const OPERATIONS_AGAIN = `ON CONFLICT (id) DO UPDATE SET (${OPERATIONS.join(', ')}) = (${excluded(OPERATIONS)})
  WHERE ${preferredSql('event', ' COLLATE "C"')}`;

function writing(events: string, operations: string): string {
  return `WITH moved AS (
  UPDATE svc.svc_feed f SET position = $3, events = $4::text::bigint, newest_operation = coalesce($5, f.newest_operation),
    written_at = clock_timestamp(), sequence = f.sequence + 1, lease_until = ${inMs('$6::text')}
  WHERE f.holder = $1 AND f.sequence = $2::text::bigint RETURNING f.sequence
), events AS (
  INSERT INTO svc.svc_events AS e (${EVENTS.join(', ')})
  ${rowsIn(EVENT_COLUMNS, BEFORE + 1)}
  ${events}
), operations AS (
  INSERT INTO svc.svc_operations AS o (${OPERATIONS.join(', ')})
  ${rowsIn(OPERATION_COLUMNS, BEFORE + 1 + EVENTS.length)}
  ${operations}
)
SELECT sequence FROM moved`;
}

/**
 * Fence, rows and position in one: only the holder of the tables, and only behind what it has read.
 * $1 token, $2 sequence, $3 position, $4 events, $5 operation, $6 lease in ms; then the columns of `svc_events` and of `svc_operations`
 */
export const WRITE = writing(EVENTS_AGAIN, OPERATIONS_AGAIN);

/** The same where nothing comes again, which is not asked of each row: where something does, nothing of it is done (23505). */
export const WRITE_NEW = writing('', '');
