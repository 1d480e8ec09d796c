/** Turns a row of a file into one that can be planned: complete, checked against the catalog, with its exact body and marks. Pure. */
import { fieldOf } from '../../contract/body-fields.js';
import type { Capabilities } from '../../contract/catalog.js';
import type { BankRule } from '../../contract/create.js';
import { memberAt } from '../../contract/json-bytes.js';
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
  const told = new Set<string>();
  return (row, number) => {
    const missing = missingMembers(row.body, shared, catalog, direction);
    const whole: Readonly<Record<string, unknown>> = { ...row.body, ...missing };
    const lacking = PLACE.filter((name) => whole[name] === undefined);
    // What no row says is one mistake, and not as many as there are rows.
    if (lacking.some((name) => !told.has(name))) problems.add(row.line, null, lackingText(lacking));
    for (const name of lacking) told.add(name);
    const checked = checkRow(catalog, direction, whole, supportsBank);
    if (!('reference' in checked)) {
      for (const { field, message } of checked)
        if (!lacking.some((name) => name === field)) problems.add(row.line, field, message);
      return null;
    }
    return {
      ...checked,
      number,
      line: row.line,
      body: bodyText(row, { ...missing, amount: checked.amount }),
      referenceMark: referenceMark(checked.reference),
      twinMark: twinMark(whole, direction),
    };
  };
}

/** What says which method of the catalog is meant, and the word that help has for each. */
const WORDS = { country: 'CC', currency: 'CUR', method: 'CODE' } as const;
const PLACE = Object.keys(WORDS) as readonly (keyof typeof WORDS)[];

function lackingText(names: readonly (keyof typeof WORDS)[]): string {
  const last = names.at(-1) ?? '';
  const listed = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${last} are` : `${last} is`;
  const flags = names.map((name) => `--${name} ${WORDS[name]}`).join(' ');
  return `${listed} missing; for all rows: ${flags}`;
}

/**
 * The file's own text where it has one, and always the same for the same row.
 * @param said members that this one lacks and all rows share, and its amount in the spelling in which it leaves
 */
export function bodyText({ body, text }: FileRow, said: Readonly<Record<string, string>>): string {
  if (text === null) return JSON.stringify(ordered({ ...body, ...said }));
  const { amount = '', ...missing } = said;
  return withMembers(body['amount'] === amount ? text : withAmount(text, amount), missing);
}

/** Its own bytes but for the amount. */
function withAmount(text: string, amount: string): string {
  const bytes = Buffer.from(text);
  const range = memberAt(bytes, 'amount');
  if (range === null) throw new Error('a row that was checked has an amount');
  const [before, behind] = [bytes.toString('utf8', 0, range.start), bytes.toString('utf8', range.end)];
  return `${before}${JSON.stringify(amount)}${behind}`;
}

function withMembers(text: string, missing: Readonly<Record<string, string>>): string {
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
