/** Finds the one operation whose id begins so: in what is known here, and where that has none, in the events since. */
import { Failure } from '../../runtime/failure.js';
import type { Run } from '../command.js';
import { withSession } from '../session/session.js';
import type { FoundOperation } from './found-operation.js';
import { withKnownOperations } from './known-operations.js';

/** So many are shown of those that begin so. */
const SHOWN_MAX = 20;

/** Of the environment and the company that the command line means. @param beginning as ids are written @throws as `withWholeId` */
export function findWhole(typed: string, beginning: string, run: Run): Promise<string> {
  // The command opens a session of its own, and says what there is to say of it.
  const quiet = { ...run, flags: { ...run.flags, quiet: true } };
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
