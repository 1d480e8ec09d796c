/** The exact text of a row's body: the file's own where it has them, and always the same for the same row. Pure. */
import { fieldOf } from '../../contract/bodies.js';
import type { FileRow } from '../file/file-row.js';

/** @param missing members that all rows share and this one lacks */
export function bodyText({ body, text }: FileRow, missing: Readonly<Record<string, string>>): string {
  if (text === null) return JSON.stringify(ordered({ ...body, ...missing }));
  const more = Object.entries(missing).map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  if (more.length === 0) return text;
  const open = text.slice(0, text.lastIndexOf('}')).trimEnd();
  return `${open}${open.endsWith('{') ? '' : ','}${more.join(',')}}`;
}

/** Columns may move between two runs; the bytes, and with them the answer to the row's key, stay the same. */
function ordered(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members = Object.entries(body).map(([name, value]) => [fieldOf(name).place, name, value] as const);
  return Object.fromEntries(
    members.sort(([one], [other]) => one - other).map(([, name, value]) => [name, value]),
  );
}
