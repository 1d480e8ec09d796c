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

/** The columns in the order of the body; what is wrong with the header is noted. Null where nothing below it can be read. */
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
  for (const name of cells) {
    if (seen.has(name)) problems.add(1, name, 'the column is there twice');
    else if (!known.has(name) && !isMetadata(name)) problems.add(1, name, unknownText(name, known));
    seen.add(name);
  }
  if (!seen.has('reference'))
    problems.add(1, 'reference', 'the column is missing: every row needs one of its own');
  return cells
    .map((name, index) => ({ name, path: pathOf(name), index }))
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

function declaredFields(direction: Direction, { countries }: Capabilities): string[] {
  const party = direction === 'payin' ? 'payer' : 'beneficiary';
  return countries
    .flatMap((country) => (direction === 'payin' ? country.payin_methods : country.payout_methods))
    .flatMap(({ fields }) => fields.map(({ name }) => `${party}.${name}`));
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

function unknownText(name: string, known: ReadonlySet<string>): string {
  const fold = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');
  const near = [...known].find((candidate) => fold(candidate) === fold(name));
  if (name === '') return 'a column has no name';
  return near === undefined ? 'unknown column' : `unknown column; did you mean ${near}?`;
}
