/** The default store as a reset reaches it: one that this program can't use is replaced, and said to be. */
import type { DatabaseProblem } from '../../runtime/database-unusable.js';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import type { Connection } from '../../cli/session/connection.js';
import { openEmbedded } from '../../cli/session/embedded.js';
import { renderNote } from '../../output/error-prose.js';

const WHY: Readonly<Partial<Record<DatabaseProblem, string>>> = {
  newer: 'was written by a newer version of svc',
  older: 'was written by a version of svc that this one cannot read',
  damaged: 'was damaged',
};

/** What is said where the server that has the store could not empty it; any other error is returned as it is. */
export function unemptied(error: unknown): unknown {
  if (!(error instanceof Failure) || error.kind !== 'unavailable') return error;
  const text =
    'The server that has the store could not empty it, and says why where it runs. ' +
    'Stop it, then run this again: a store that cannot be used is replaced then.';
  return new Failure(error.kind, text, { ...error.facts, cause: error });
}

/** @throws Failure `local_state` where the store is another program's, or can't be written; `locked` */
export function openReset(ports: Ports): Promise<Connection> {
  return openEmbedded(ports, async (options) => {
    const { openRenewed } = await import('../../sandbox/renewal.js');
    const { sandbox, replaced } = await openRenewed(options);
    if (replaced !== null)
      await ports.errors.write(
        renderNote(
          `The sandbox's store ${WHY[replaced.problem] ?? 'could not be used'}. A new one, with a new key, stands in its place.`,
          ports.errors,
        ),
      );
    return sandbox;
  });
}
