/** The name of a new batch: what somebody chose, or in the sandbox the file's own. */
import { basename, extname } from 'node:path';
import { Failure } from '../../runtime/failure.js';
import type { Session } from '../session/session.js';

/** @throws Failure `usage`: live, a batch has a name that somebody chose, so that it is found again */
export function nameOf(
  given: string | undefined,
  path: string,
  { environment }: Pick<Session, 'environment'>,
): string {
  if (given === undefined && environment === 'live') {
    throw new Failure('usage', 'A live batch needs a name: add --batch NAME. Nothing was sent.');
  }
  // A file's name may come decomposed, as some file systems keep it.
  const name = given ?? basename(path, extname(path)).normalize('NFC').trim();
  if (/^[\p{L}\p{N}][\p{L}\p{N} ._@+:-]{0,99}$/u.test(name) && name === name.normalize('NFC').trim())
    return name;
  const remedy = given === undefined ? ' Without --batch NAME, svc uses the name of the file.' : '';
  throw new Failure(
    'usage',
    `A batch name must be 1 to 100 letters, digits or ._@+:- characters.${remedy} Nothing was sent.`,
  );
}
