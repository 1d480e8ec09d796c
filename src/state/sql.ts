/** What the statements of all stores say in the same words: names, what time it is, until when a lease is good, that a commit lasts. Pure. */

/** By the clock of the database. */
export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** In so many milliseconds, by the same clock. @param ms as SQL */
export const inMs = (ms: string): string => `clock_timestamp() + ${ms}::integer * interval '1 millisecond'`;

/**
 * Before what must not be forgotten is acknowledged it is durable on every standby that counts, whatever the role's setting is: this decides that
 * very commit. A statement that has it reads `control`, or it is not done.
 */
export const DURABLE = "control AS (SELECT set_config('synchronous_commit', 'on', true))";

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
 * A text of ours, in which `svc.` stands for the schema. The text holds no name that somebody chose: what such a name says would be taken for a
 * place as well, and what is put there would end the quotes around it.
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
