/** Completes a typed beginning of an id, if it fits only one operation that this machine knows. */
import { idBeginning } from '../../contract/notation.js';
import { Failure } from '../../runtime/failure.js';
import type { Run } from '../command.js';
import type { FoundOperation } from './found-operation.js';

/** `shown` prints the whole id before a request uses it. */
type IdEcho = 'shown' | 'quiet';

/**
 * Replaces the beginning of an id in the command line by the whole id. A whole id is kept: nothing is loaded, opened or asked for it.
 * @param showing `shown` for a command that changes the operation
 * @throws Failure `not_found` if no known id begins so, `usage` (`id_ambiguous`) if several do; failures of reading the feed
 */
export async function withWholeId<R extends Run & { readonly args: { readonly id: string } }>(
  run: R,
  showing: IdEcho = 'quiet',
): Promise<R> {
  const typed = run.args.id;
  const id = await wholeId(typed, run, showing);
  return id === typed
    ? run
    : { ...run, args: { ...run.args, id }, typed: replaceTypedId(run.typed, typed, id) };
}

/** Replaces the beginning of an id in the value of a flag. @throws as `withWholeId` */
export async function withWholeFlag<
  Name extends 'operation' | 'id',
  R extends Run & { readonly flags: Readonly<Partial<Record<Name, string | undefined>>> },
>(run: R, name: Name): Promise<R> {
  const typed: string | undefined = run.flags[name];
  if (typed === undefined) return run;
  const id = await wholeId(typed, run, 'quiet');
  if (id === typed) return run;
  return { ...run, flags: { ...run.flags, [name]: id }, typed: replaceTypedId(run.typed, typed, id) };
}

async function wholeId(typed: string, run: Run, showing: IdEcho): Promise<string> {
  const beginning = idBeginning(typed);
  if (beginning === null) return typed;
  const id = await findWhole(typed, beginning, run);
  if (showing === 'shown') await run.ports.errors.write(`Operation: ${id}\n`);
  return id;
}

/** For an ambiguous beginning, at most this many ids are listed. */
const SHOWN_MAX = 20;

/** Finds the whole id in the environment and company of the command line. @param beginning in lower case, with hyphens @throws as `withWholeId` */
async function findWhole(typed: string, beginning: string, run: Run): Promise<string> {
  // This session prints no notes, because the command opens its own session later, which prints them.
  const quietRun = { ...run, flags: { ...run.flags, quiet: true } };
  const [{ withSession }, { withKnownOperations }] = await Promise.all([
    import('../session/session.js'),
    import('./known-operations.js'),
  ]);
  return withSession(quietRun, async (open) => {
    const search = (isOffline: boolean): Promise<FoundOperation[]> =>
      withKnownOperations(open, isOffline, (known) => known.ofBeginning(beginning, SHOWN_MAX + 1), 'news');
    const localMatches = await search(true);
    const matches = localMatches.length > 0 ? localMatches : await search(false);
    const [firstMatch, secondMatch] = matches;
    if (firstMatch === undefined)
      throw new Failure(
        'not_found',
        `No operation known to this machine has an id that begins with ${typed}. ` +
          'Nothing was sent. Give the whole id, and svc reads it from the service.',
        { code: 'not_found', outcome: 'not_sent' },
      );
    if (secondMatch === undefined) return firstMatch.id;
    const items = matches
      .slice(0, SHOWN_MAX)
      .map(({ id, direction, status, amount, currency, reference }) => {
        const money = amount === null ? '' : ` ${amount} ${currency ?? ''}`.trimEnd();
        return `${id} ${direction}${money} ${status}${reference === null ? '' : `, reference ${reference}`}`;
      });
    if (matches.length > SHOWN_MAX) items.push('and more');
    throw new Failure('usage', `Several ids begin with ${typed}. Nothing was sent.`, {
      ...{ code: 'id_ambiguous', outcome: 'not_sent', items },
      advice: ['Type more of the id.'],
    });
  });
}

const ID_FLAGS: readonly string[] = ['--operation', '--id'];

/**
 * Puts the whole id into the typed words, from which next commands are built. If several words equal the beginning, prefers one
 * that is not the value of a flag other than `--operation` and `--id`.
 */
function replaceTypedId(words: readonly string[], typed: string, id: string): readonly string[] {
  const isWanted = (word: string): boolean =>
    word === typed || ID_FLAGS.some((flag) => word === `${flag}=${typed}`);
  const isFree = (word: string, at: number): boolean => {
    const previous = words[at - 1] ?? '';
    return isWanted(word) && (!previous.startsWith('-') || ID_FLAGS.includes(previous));
  };
  const freeAt = words.findIndex(isFree);
  const at = freeAt === -1 ? words.findIndex(isWanted) : freeAt;
  return words.map((word, index) => (index === at ? word.replace(typed, id) : word));
}
