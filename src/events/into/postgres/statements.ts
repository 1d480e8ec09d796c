/** No statement needs an earlier one of its session, because a connection pooler may change the session between two statements. */
import { preferredSql } from '../../../contract/operation-facts.js';
import { columnLines, EVENT_COLUMNS, EVENT_NAMES, OPERATION_COLUMNS, OPERATION_NAMES } from '../rows.js';
import { UPDATED_COLUMNS } from '../rows.js';
import { doBlock, msFromNow, inSchema, quotedLiteral, quotedName } from '../../../storage/postgres/sql.js';
import { EVENT_TABLES_VERSION } from '../table.js';

const sameType = (type: string): string => type;

const FEED_TABLE = `CREATE TABLE svc.svc_feed (
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

const ROW_TABLES = `CREATE TABLE svc.svc_events (\n${columnLines('svc_events', sameType)}\n);
CREATE TABLE svc.svc_operations (\n${columnLines('svc_operations', sameType)}\n);
${FEED_TABLE}`;

/** Does not use `CREATE SCHEMA IF NOT EXISTS`, because PostgreSQL refuses it to a user who may only create tables. */
export function creatingSql(schema: string): string {
  const schemaSql = `IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = ${quotedLiteral(schema)}) THEN CREATE SCHEMA ${quotedName(schema)}; END IF;`;
  return doBlock(`BEGIN\n  ${schemaSql}\nEND`) + inSchema(ROW_TABLES, schema);
}

export const BEGIN_FEED = `INSERT INTO svc.svc_feed (version, environment, origin) VALUES (${String(EVENT_TABLES_VERSION)}, $1, $2) ON CONFLICT DO NOTHING`;

export const READ_FEED = `SELECT f.version, f.environment, f.origin, current_setting('server_encoding') AS encoding FROM svc.svc_feed f`;

export const HOLD_FEED = `UPDATE svc.svc_feed f SET holder = $1, name = $2, lease_until = ${msFromNow('$3::text')}, sequence = f.sequence + 1
WHERE f.holder IS NULL OR f.holder = $1 OR f.lease_until < clock_timestamp()
RETURNING f.position, f.events, f.newest_operation, f.sequence`;

export const READ_HOLDER = `SELECT f.holder, f.name, f.lease_until::text AS until,
  greatest(0, extract(epoch FROM f.lease_until - clock_timestamp()) * 1000)::integer AS left_ms FROM svc.svc_feed f`;

export const RENEW_LEASE = `UPDATE svc.svc_feed f SET lease_until = ${msFromNow('$2::text')} WHERE f.holder = $1 RETURNING f.sequence`;

export const RELEASE_FEED = 'UPDATE svc.svc_feed SET holder = NULL WHERE holder = $1';

const FIXED_PARAMETERS = 6;

function rowsIn(columns: Readonly<Record<string, string>>, firstParameter: number): string {
  const names = Object.keys(columns);
  const values = Object.entries(columns).map(([name, type]) =>
    type === 'bytea' ? `decode(u.${name}, 'hex')` : type === 'text' ? `u.${name}` : `u.${name}::${type}`,
  );
  const arrays = names.map((_, at) => `$${String(firstParameter + at)}::text[]`);
  return `SELECT ${values.join(', ')} FROM unnest(${arrays.join(', ')}) AS u(${names.join(', ')}) WHERE EXISTS (SELECT FROM moved)`;
}

const excluded = (names: readonly string[]): string => names.map((name) => `excluded.${name}`).join(', ');

const UPDATE_EVENTS = `ON CONFLICT (id) DO UPDATE SET (${UPDATED_COLUMNS.join(', ')}) = (${excluded(UPDATED_COLUMNS)})
  WHERE (${UPDATED_COLUMNS.map((name) => `e.${name}`).join(', ')}) IS DISTINCT FROM (${excluded(UPDATED_COLUMNS)})`;
const UPDATE_OPERATIONS = `ON CONFLICT (id) DO UPDATE SET (${OPERATION_NAMES.join(', ')}) = (${excluded(OPERATION_NAMES)})
  WHERE ${preferredSql('event', ' COLLATE "C"')}`;

function writeSql(eventsEnd: string, operationsEnd: string): string {
  return `WITH moved AS (
  UPDATE svc.svc_feed f SET position = $3, events = $4::text::bigint, newest_operation = coalesce($5, f.newest_operation),
    written_at = clock_timestamp(), sequence = f.sequence + 1, lease_until = ${msFromNow('$6::text')}
  WHERE f.holder = $1 AND f.sequence = $2::text::bigint RETURNING f.sequence
), events AS (
  INSERT INTO svc.svc_events AS e (${EVENT_NAMES.join(', ')})
  ${rowsIn(EVENT_COLUMNS, FIXED_PARAMETERS + 1)}
  ${eventsEnd}
), operations AS (
  INSERT INTO svc.svc_operations AS o (${OPERATION_NAMES.join(', ')})
  ${rowsIn(OPERATION_COLUMNS, FIXED_PARAMETERS + 1 + EVENT_NAMES.length)}
  ${operationsEnd}
)
SELECT sequence FROM moved`;
}

export const WRITE_ROWS = writeSql(UPDATE_EVENTS, UPDATE_OPERATIONS);

export const WRITE_NEW_ROWS = writeSql('', '');
