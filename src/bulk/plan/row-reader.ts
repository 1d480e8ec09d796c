/** Turns a row of a file into one that can be planned: complete, checked against the catalog, with its exact body and marks. Pure. */
import { fieldOf } from '../../contract/bodies.js';
import type { Capabilities } from '../../contract/catalog.js';
import type { BankRule } from '../../contract/create.js';
import { referenceMark, twinMark } from '../../contract/marks.js';
import type { FileRow } from '../file/file-row.js';
import type { Problems } from '../../runtime/problems.js';
import type { BatchFacts } from '../store/batch.js';
import type { PlannedRow } from '../store/row.js';
import { checkRow, missingMembers, type Shared, withoutAvailability } from './row-check.js';

/** A row before it is known which payment of its reference it is. */
export interface ReadRow extends Omit<PlannedRow, 'ordinal' | 'generation' | 'key' | 'seal' | 'earlier'> {
  readonly decimals: number;
}

export interface ReadingOptions {
  readonly facts: Pick<BatchFacts, 'direction'>;
  readonly shared: Shared;
  readonly catalog: Capabilities;
  readonly supportsBank: BankRule;
  readonly problems: Problems;
}

/** Reads one row after the other; null for a row with problems, which are noted. */
export function rowReader(options: ReadingOptions): (row: FileRow, number: number) => ReadRow | null {
  const { facts, shared, supportsBank, problems } = options;
  const { direction } = facts;
  const catalog = withoutAvailability(options.catalog);
  return (row, number) => {
    const missing = missingMembers(row.body, shared, catalog, direction);
    const whole = { ...row.body, ...missing };
    const checked = checkRow(catalog, direction, whole, supportsBank);
    if (!('reference' in checked)) {
      for (const { field, message } of checked) problems.add(row.line, field, message);
      return null;
    }
    return {
      ...checked,
      number,
      line: row.line,
      body: bodyText(row, missing),
      referenceMark: referenceMark(checked.reference),
      twinMark: twinMark(whole, direction),
    };
  };
}

/**
 * The file's own text where it has one, and always the same for the same row.
 * @param missing members that all rows share and this one lacks
 */
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
