/** The header line of a CSV file: columns are body paths (sections 2.2 and 2.3). Pure. */
import type { Capabilities } from '../../contract/catalog.js';
import type { Direction } from '../../contract/methods.js';
import { MEMBER_ORDER, PLAIN_MEMBERS } from './members.js';
import type { Problems } from './problem.js';

export interface Column {
  readonly name: string;
  readonly path: readonly string[];
  /** Where its cell stands in a row. */
  readonly index: number;
}

const PARTY = ['account_number', 'bank_code', 'document.type', 'document.number', 'name'] as const;
const PARTY_OF = { payin: 'payer', payout: 'beneficiary' } as const;
/** What the schema has beside the fields of the catalog. */
const KNOWN: Readonly<Record<Direction, readonly string[]>> = {
  payout: [...PLAIN_MEMBERS.payout, ...PARTY.map((name) => `beneficiary.${name}`)],
  payin: [
    ...PLAIN_MEMBERS.payin,
    ...[...PARTY, 'account_type', 'email', 'phone'].map((name) => `payer.${name}`),
    'mandate.contract_id',
    'mandate.contract_date',
  ],
};

/**
 * The columns in the order of the body; what is wrong with the header is noted, and then nothing is sent. A column of another name is
 * read as the one that it surely means, and one that means nothing is left out, so that the rows tell of their own faults and not of
 * the header's again. Null where nothing below it can be read.
 */
export function readHeader(
  cells: readonly string[],
  direction: Direction,
  catalog: Capabilities,
  problems: Problems,
): Column[] | null {
  const separator = otherSeparator(cells);
  if (separator !== null) {
    problems.add(1, null, `the columns are separated by ${separator}; save the file as CSV with commas`);
    return null;
  }
  const known = new Set([...KNOWN[direction], ...declaredFields(direction, catalog)]);
  const seen = new Set<string>();
  const columns = cells.flatMap((cell, index) => {
    const isKnown = known.has(cell) || isMetadata(cell);
    const name = isKnown ? cell : meant(cell, direction, known);
    if (seen.has(cell)) problems.add(1, cell, 'the column is there twice');
    else if (!isKnown) problems.add(1, cell, unknownText(cell, name));
    seen.add(cell);
    const isRead = name !== null && (isKnown || !cells.includes(name));
    return isRead ? [{ name, path: pathOf(name), index }] : [];
  });
  if (!columns.some(({ name }) => name === 'reference'))
    problems.add(1, 'reference', 'the column is missing: every row needs one of its own');
  return columns.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

function declaredFields(direction: Direction, { countries }: Capabilities): string[] {
  return countries
    .flatMap((country) => (direction === 'payin' ? country.payin_methods : country.payout_methods))
    .flatMap(({ fields }) => fields.map(({ name }) => `${PARTY_OF[direction]}.${name}`));
}

function isMetadata(name: string): boolean {
  return name.startsWith('metadata.') && name.length > 'metadata.'.length;
}

/** A metadata name is one name: its dots are its own. */
function pathOf(name: string): string[] {
  return isMetadata(name) ? ['metadata', name.slice('metadata.'.length)] : name.split('.');
}

function rank({ path }: Column): number {
  return MEMBER_ORDER.indexOf(path[0] ?? '');
}

/** What a spreadsheet writes where the comma is the decimal point, or when it saves text: none of both stands in a name. */
function otherSeparator(cells: readonly string[]): string | null {
  const [only] = cells;
  if (only === undefined || cells.length > 1) return null;
  if (only.includes(';')) return 'semicolons';
  return only.includes('\t') ? 'tabs' : null;
}

/** The column of another spelling, or without the name of the party before it; null where there is none. */
function meant(name: string, direction: Direction, known: ReadonlySet<string>): string | null {
  const fold = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');
  if (fold(name) === '') return null;
  const folded = [fold(name), fold(PARTY_OF[direction] + name)];
  return [...known].find((candidate) => folded.includes(fold(candidate))) ?? null;
}

function unknownText(name: string, near: string | null): string {
  if (name === '') return 'a column has no name';
  return near === null ? 'unknown column' : `unknown column; did you mean ${near}?`;
}
