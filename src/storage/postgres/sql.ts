export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

export const msFromNow = (ms: string): string =>
  `clock_timestamp() + ${ms}::integer * interval '1 millisecond'`;

/** A statement must read `control`, because PostgreSQL skips a part of `WITH` that nothing reads. */
export const DURABLE = "control AS (SELECT set_config('synchronous_commit', 'on', true))";

export const isAmongTexts = (column: string): string =>
  `${column} = ANY ($1::text[]) AND ${column} BETWEEN ` +
  '(SELECT min(asked) FROM unnest($1::text[]) asked) AND (SELECT max(asked) FROM unnest($1::text[]) asked)';

/** PostgreSQL cannot store NUL or lone surrogates in text. */
export function storableText(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll('\0', '\uFFFD');
}

export const NAME_MAX_BYTES = 63;

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quotedLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Use it only for SQL without names that a user chose, because `svc.` in such a name would be replaced too. */
export function inSchema(text: string, schema: string): string {
  const prefix = `${quotedName(schema)}.`;
  return text.replaceAll(/\bsvc\./g, () => prefix);
}

export function doBlock(body: string): string {
  let mark = '$svc$';
  while (body.includes(mark)) mark = mark.replace('$svc', '$svc_');
  return `DO ${mark}\n${body}\n${mark};\n`;
}
