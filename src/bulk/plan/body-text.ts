/** The exact text of a row's body: the file's own where it has them, and always the same for the same row. Pure. */
import type { FileRow } from '../file/file-row.js';
import { MEMBER_ORDER } from '../file/members.js';

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

function ordered(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members = MEMBER_ORDER.filter((name) => body[name] !== undefined).map(
    (name) => [name, body[name]] as const,
  );
  return Object.fromEntries(members);
}
