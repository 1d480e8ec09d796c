/** SQL for all stores: quoted names, the current time, leases, durable commits. Pure. */

/** The database's time. */
export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** The moment that is `ms` milliseconds after the database's time. @param ms as SQL */
export const msFromNow = (ms: string): string =>
  `clock_timestamp() + ${ms}::integer * interval '1 millisecond'`;

/** Makes this commit durable on every synchronous standby, whatever the role's setting. The statement must read `control`, or PostgreSQL skips it. */
export const DURABLE = "control AS (SELECT set_config('synchronous_commit', 'on', true))";

/**
 * A condition that a column is one of the texts in $1, for which PostgreSQL uses the index. With the list alone and without statistics (as for a
 * new batch), PostgreSQL expects most of the table and scans it. The bounds make it expect few rows.
 * @param column as SQL
 */
export const isAmongTexts = (column: string): string =>
  `${column} = ANY ($1::text[]) AND ${column} BETWEEN ` +
  '(SELECT min(asked) FROM unnest($1::text[]) asked) AND (SELECT max(asked) FROM unnest($1::text[]) asked)';

/** Replaces what PostgreSQL cannot store in text: NUL and lone surrogates. */
export function storable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll('\0', '\uFFFD');
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quotedLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Puts the schema's name for `svc.`. Only for SQL without names that a user chose: a `svc.` or a quote in such a name would break it. */
export function inSchema(text: string, schema: string): string {
  const quoted = `${quotedName(schema)}.`;
  return text.replaceAll(/\bsvc\./g, () => quoted);
}

/** Wraps statements in a DO block, with a quoting mark that does not occur in them. */
export function doBlock(body: string): string {
  let mark = '$svc$';
  while (body.includes(mark)) mark = mark.replace('$svc', '$svc_');
  return `DO ${mark}\n${body}\n${mark};\n`;
}
