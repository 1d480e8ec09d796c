/** SQL that all stores share: quoted names, the current time, the end of a lease, durable commits. Pure. */

/** By the clock of the database. */
export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** In so many milliseconds, by the same clock. @param ms as SQL */
export const inMs = (ms: string): string => `clock_timestamp() + ${ms}::integer * interval '1 millisecond'`;

/**
 * Before what must not be forgotten is acknowledged it is durable on every standby that counts, whatever the role's setting is: this decides that
 * very commit. A statement that has it reads `control`, or it is not done.
 */
export const DURABLE = "control AS (SELECT set_config('synchronous_commit', 'on', true))";

/**
 * That a column is one of the texts in $1, by its index: without statistics, which a new batch has none of, PostgreSQL takes a list alone for
 * most of a table and reads it all. Bounds it takes for little.
 * @param column as SQL
 */
export const amongTexts = (column: string): string =>
  `${column} = ANY ($1::text[]) AND ${column} BETWEEN ` +
  '(SELECT min(asked) FROM unnest($1::text[]) asked) AND (SELECT max(asked) FROM unnest($1::text[]) asked)';

/** Text of PostgreSQL holds no zero and no half of a pair. */
export function storable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll('\0', '\uFFFD');
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quotedLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * SQL of ours, where `svc.` stands for the schema. It holds no name that a user chose: `svc.` inside such a name would be replaced too, and the
 * quotes around the schema would end the quotes of the name.
 */
export function inSchema(text: string, schema: string): string {
  const quoted = `${quotedName(schema)}.`;
  return text.replaceAll(/\bsvc\./g, () => quoted);
}

/** Statements that ask first. The mark around them stands nowhere in them. */
export function doBlock(body: string): string {
  let mark = '$svc$';
  while (body.includes(mark)) mark = mark.replace('$svc', '$svc_');
  return `DO ${mark}\n${body}\n${mark};\n`;
}
