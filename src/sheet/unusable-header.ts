/** Why a header can't be used, and what stands in it. Pure. */
import { Failure } from '../runtime/failure.js';
import type { Undone } from './file-source.js';
import type { HeaderCandidate } from './header.js';
import { excerpt } from './words.js';

const COLUMNS_SHOWN = 40;

/** What is said of a header beside its columns. */
export interface Unusable {
  readonly kind: 'usage' | 'bad_file';
  /** The name of the file. */
  readonly name: string;
  readonly undone: Undone;
  /** The flag in which columns are named. */
  readonly map: string;
}

/** The failure, with the columns that there are. */
export function unusableHeader(
  { header, line, missing, doubtful }: HeaderCandidate,
  { kind, name, undone, map }: Unusable,
): Failure {
  const numbered = doubtful.map(({ field, places }) => {
    return `${field} may be column ${places.map((place) => place + 1).join(' or ')}`;
  });
  const [why, how] =
    missing.length > 0
      ? [
          `${name} has no column ${missing.map(({ column }) => (typeof column === 'number' ? column : excerpt(column))).join(', ')}`,
          'name one of them',
        ]
      : numbered.length > 0
        ? [`${name}: ${numbered.join('; ')}`, 'say which by its number']
        : [`The header of ${name} does not say what is the amount and what the reference`, 'say it'];
  return new Failure(kind, `${why}. ${undone}`, {
    items: [`the columns of line ${line}: ${columnsText(header)}`],
    advice: [`In ${map} ${how}.`],
  });
}

/** The columns of a header, with their numbers from 1. */
function columnsText(header: readonly string[]): string {
  const names = header.slice(0, COLUMNS_SHOWN).map((cell, index) => `${index + 1} ${excerpt(cell)}`);
  const more = header.length - names.length;
  return [...names, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
