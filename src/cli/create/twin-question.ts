/** Asks a person at a live terminal who is about to make an equal payment within ten minutes, where no reference says which payment it is. */
import { isoSeconds } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { isPersonThere, readTypedAnswer } from '../line/interaction.js';
import { recentTwin } from './asking.js';
import type { Creating } from './creating.js';

/** @throws Failure `unsafe` (`not_confirmed`) where the person did not say yes; Stopped */
export async function askOfTwin(creating: Creating, ownRow: number): Promise<void> {
  const { run, options, leaving } = creating;
  const { ports, session } = run;
  if (session.environment !== 'live' || options.asksNobody || leaving.isOwnKey) return;
  if (!isPersonThere(ports, {})) return;
  const twin = await recentTwin(creating, ownRow);
  if (twin === null) return;
  const { operation, amount = '', currency = '', accountTail, atMs } = twin;
  const account = accountTail === null ? '' : ` to the account ending in ${accountTail}`;
  const when = atMs === null ? '' : ` at ${isoSeconds(atMs)}`;
  await ports.errors.write(
    ports.redact(
      `An equal payment was made${when}: ${amount} ${currency}${account} (operation ${String(operation)}). Pay once more? y/N `,
    ),
  );
  const answer = await readTypedAnswer(ports, 'Nothing was sent.');
  if (/^y(es)?$/i.test(answer?.trim() ?? '')) return;
  throw new Failure('unsafe', 'Not confirmed. Nothing was sent.', { code: 'not_confirmed' });
}
