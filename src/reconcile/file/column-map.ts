/** What `--map` says: which column is what. Read, found in a header, and written so that it is read again. Pure. */
import { Failure } from '../../runtime/failure.js';
import { NO_WORDS, type StatusWords } from './status-words.js';
import { LEDGER_FIELDS, type LedgerField, type PlannedColumn } from './plan.js';

export interface MapEntry {
  readonly field: LedgerField;
  /** The name of a column, or its number from 1. */
  readonly column: string | number;
}

/** What words of a status column mean. */
const MEANINGS = ['paid', 'unpaid'] as const;
const MEMBERS = [...LEDGER_FIELDS, ...MEANINGS];
const MEMBER = new RegExp(`\\s*(${MEMBERS.join('|')})\\s*=\\s*`, 'iy');
const NEXT_MEMBER = new RegExp(`\\s*,\\s*(?:${MEMBERS.join('|')})\\s*=`, 'i');
const QUOTED = /"((?:[^"]|"")*)"\s*(?:,|$)/y;
const KEYS: ReadonlySet<LedgerField> = new Set(['id', 'reference', 'bank_reference']);

/**
 * `reference=Ref,amount="Importe, EUR",date=3`: a name runs up to the next member; in quotes, doubled inside, it may hold anything. A whole
 * number is the number of a column, in quotes a name.
 * @throws Failure `usage`
 */
export function parseMap(text: string): readonly MapEntry[] {
  const members = membersOf(text);
  const entries = members.flatMap(({ member, value }) => {
    const field = LEDGER_FIELDS.find((one) => one === member);
    return field === undefined ? [] : [{ field, column: value }];
  });
  requireUsable(entries.map(({ field }) => field));
  if (entries.length < members.length && !entries.some(({ field }) => field === 'status'))
    throw refused('paid and unpaid say what words of a status column mean: add status=COLUMN.');
  return entries;
}

/** What the same text says of words: `paid=Liquidado|Aplicada,unpaid=X`. @throws Failure `usage` */
export function parseStatusWords(text: string): StatusWords {
  const members = membersOf(text);
  const [paid = [], unpaid = []] = MEANINGS.map((meaning) =>
    members
      .filter(({ member }) => member === meaning)
      .flatMap(({ value }) => String(value).split('|'))
      .map((word) => word.trim()),
  );
  const twice = paid.find((word) => unpaid.includes(word));
  if (twice !== undefined) throw refused(`${shown(twice)} is paid and unpaid.`);
  return { paid, unpaid };
}

function membersOf(text: string): readonly { readonly member: string; readonly value: string | number }[] {
  const members: { member: string; value: string | number }[] = [];
  for (let at = 0; at < text.length;) {
    MEMBER.lastIndex = at;
    const match = MEMBER.exec(text);
    if (match === null)
      throw refused(`${shown(text.slice(at))} does not begin with a member and an equals sign.`);
    const member = (match[1] ?? '').toLowerCase();
    if (members.some((one) => one.member === member)) throw refused(`${member} is there twice.`);
    const { column, next } = columnAt(text, MEMBER.lastIndex, member);
    members.push({ member, value: column });
    at = next;
  }
  return members;
}

function columnAt(text: string, start: number, field: string): { column: string | number; next: number } {
  QUOTED.lastIndex = start;
  const quoted = QUOTED.exec(text);
  if (quoted !== null) return { column: (quoted[1] ?? '').replaceAll('""', '"'), next: QUOTED.lastIndex };
  const length = NEXT_MEMBER.exec(text.slice(start))?.index ?? text.length - start;
  const column = text.slice(start, start + length).trim();
  const comma = text.indexOf(',', start + length);
  const unknown = /,\s*([a-z_ ]+)=/i.exec(column)?.[1];
  if (unknown !== undefined)
    throw refused(`${shown(unknown)} is no member; a name with a comma and an equals sign is quoted.`);
  if (column === '') throw refused(`${field} names no column.`);
  const isNumber = /^[1-9][0-9]{0,3}$/.test(column);
  return { column: isNumber ? Number(column) : column, next: comma === -1 ? text.length : comma + 1 };
}

/** @throws Failure `usage` where lines could not be compared by what is there */
function requireUsable(fields: readonly LedgerField[]): void {
  const has = (field: LedgerField): boolean => fields.includes(field);
  const hasSides = has('debit') || has('credit');
  if (has('amount') && hasSides) throw refused('An amount is one column, or debit and credit are: not both.');
  if (!has('amount') && !hasSides)
    throw refused('It names no amount: add amount=COLUMN, or debit=COLUMN,credit=COLUMN.');
  if (!hasKey(fields))
    throw refused('Nothing identifies a line: add reference=COLUMN, or id or bank_reference.');
}

/** Whether anything identifies a line. */
export function hasKey(fields: readonly LedgerField[]): boolean {
  return fields.some((field) => KEYS.has(field));
}

/** The columns of a name, by their places from 0: as it stands there, else whatever its case, accents and spaces. */
export type ColumnFinder = (name: string) => readonly number[];

export function columnFinder(header: readonly string[]): ColumnFinder {
  const places = (cells: readonly string[], name: string): readonly number[] =>
    cells.flatMap((cell, index) => (cell === name ? [index] : []));
  // A line may have very many cells, and a map several names.
  let folded: readonly string[] | null = null;
  return (name) => {
    const exact = places(header, name);
    if (exact.length > 0) return exact;
    folded ??= header.map(foldName);
    return places(folded, foldName(name));
  };
}

/** A name without case, accents and runs of spaces. */
function foldName(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/\s+/g, ' ').trim();
}

/** The columns as `--map` takes them: by name where one name means one column, else by number. */
export function formatMap(
  columns: readonly PlannedColumn[],
  header: readonly string[],
  words: StatusWords = NO_WORDS,
): string {
  const find = columnFinder(header);
  return [
    ...columns.map(({ field, name, index }) => `${field}=${written(name, index, find)}`),
    ...MEANINGS.filter((meaning) => words[meaning].length > 0).map(
      (meaning) => `${meaning}="${words[meaning].join('|').replaceAll('"', '""')}"`,
    ),
  ].join(',');
}

function written(given: string, index: number, find: ColumnFinder): string {
  const name = given.replace(/\s+/g, ' ').trim();
  const isPlain = name !== '' && name.isWellFormed() && !/[\p{Cc}\p{Cf}\ufffd]/u.test(name);
  const places = isPlain ? find(name) : [];
  if (places.length !== 1 || places[0] !== index) return String(index + 1);
  return /[",=]|^[0-9]+$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}

function refused(why: string): Failure {
  return new Failure('usage', `--map cannot be read. ${why} Nothing was reconciled.`, {
    advice: [`Its members: ${MEMBERS.join(', ')}. For example: --map 'reference=Ref,amount=Importe,date=3'`],
  });
}
