/** An id as it was typed, made whole: the beginning of an operation that is known here, and of no other. */
import { idBeginning } from '../../contract/notation.js';
import { Failure } from '../../runtime/failure.js';
import type { Run } from '../command.js';
import type { FoundOperation } from './found-operation.js';

/** Whether the whole id is printed before a request uses it. */
type Showing = 'shown' | 'quiet';

/**
 * The line with the whole id in place of its beginning. A whole one goes its way: nothing is loaded, opened or asked for it.
 * @param showing `shown` for a command that changes the operation
 * @throws Failure `not_found` for a beginning of nothing that is known, `usage` (`id_ambiguous`) for that of several; what else the feed ends in
 */
export async function withWholeId<R extends Run & { readonly args: { readonly id: string } }>(
  run: R,
  showing: Showing = 'quiet',
): Promise<R> {
  const typed = run.args.id;
  const id = await wholeId(typed, run, showing);
  return id === typed ? run : { ...run, args: { ...run.args, id }, typed: wordsWith(run.typed, typed, id) };
}

/** The same for an id that is a flag's. */
export async function withWholeFlag<
  Name extends 'operation' | 'id',
  R extends Run & { readonly flags: Readonly<Partial<Record<Name, string | undefined>>> },
>(run: R, name: Name): Promise<R> {
  const typed: string | undefined = run.flags[name];
  if (typed === undefined) return run;
  const id = await wholeId(typed, run, 'quiet');
  if (id === typed) return run;
  return { ...run, flags: { ...run.flags, [name]: id }, typed: wordsWith(run.typed, typed, id) };
}

async function wholeId(typed: string, run: Run, showing: Showing): Promise<string> {
  const beginning = idBeginning(typed);
  if (beginning === null) return typed;
  const id = await findWhole(typed, beginning, run);
  if (showing === 'shown') await run.ports.errors.write(`Operation: ${id}\n`);
  return id;
}

/** So many are shown of those that begin so. */
const SHOWN_MAX = 20;

/** Of the environment and the company that the command line means. @param beginning as ids are written @throws as `withWholeId` */
async function findWhole(typed: string, beginning: string, run: Run): Promise<string> {
  // The command opens a session of its own, and says what there is to say of it.
  const quiet = { ...run, flags: { ...run.flags, quiet: true } };
  const [{ withSession }, { withKnownOperations }] = await Promise.all([
    import('../session/session.js'),
    import('./known-operations.js'),
  ]);
  return withSession(quiet, async (open) => {
    const look = (isOffline: boolean): Promise<FoundOperation[]> =>
      withKnownOperations(open, isOffline, (known) => known.ofBeginning(beginning, SHOWN_MAX + 1), 'news');
    const here = await look(true);
    const found = here.length > 0 ? here : await look(false);
    const [first, another] = found;
    if (first === undefined)
      throw new Failure(
        'not_found',
        `No operation known to this machine has an id that begins with ${typed}. ` +
          'Nothing was sent. Give the whole id, and svc reads it from the service.',
        { code: 'not_found', outcome: 'not_sent' },
      );
    if (another === undefined) return first.id;
    const items = found.slice(0, SHOWN_MAX).map(({ id, direction, status, amount, currency, reference }) => {
      const money = amount === null ? '' : ` ${amount} ${currency ?? ''}`.trimEnd();
      return `${id} ${direction}${money} ${status}${reference === null ? '' : `, reference ${reference}`}`;
    });
    if (found.length > SHOWN_MAX) items.push('and more');
    throw new Failure('usage', `Several ids begin with ${typed}. Nothing was sent.`, {
      ...{ code: 'id_ambiguous', outcome: 'not_sent', items },
      advice: ['Type more of the id.'],
    });
  });
}

/** Those that take an id. */
const FLAGS: readonly string[] = ['--operation', '--id'];

/** What is suggested next names the whole id. Of equal words one that a flag may have taken as its value is meant last. */
function wordsWith(words: readonly string[], typed: string, id: string): readonly string[] {
  const isMeant = (word: string): boolean =>
    word === typed || FLAGS.some((flag) => word === `${flag}=${typed}`);
  const stands = (word: string, at: number): boolean => {
    const before = words[at - 1] ?? '';
    return isMeant(word) && (!before.startsWith('-') || FLAGS.includes(before));
  };
  const alone = words.findIndex(stands);
  const at = alone === -1 ? words.findIndex(isMeant) : alone;
  return words.map((word, index) => (index === at ? word.replace(typed, id) : word));
}
