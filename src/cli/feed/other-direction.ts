/** A read of an operation by its direction: where the service has none, one of the other direction that is known here is named. */
import { operationsOf } from '../../contract/endpoints.js';
import type { Direction } from '../../contract/operation.js';
import { Failure } from '../../runtime/failure.js';
import { svcLine } from '../../runtime/shell.js';
import { callEndpoint, type EndpointRun } from '../call/endpoint-call.js';
import type { Run } from '../command.js';
import { whereFlags } from '../line/where.js';

/** Reads it, and says where it is to be found else. @throws as `callEndpoint` */
export async function readOfDirection(run: EndpointRun, id: string): Promise<void> {
  try {
    await callEndpoint(run, () => ({ id }));
  } catch (error) {
    const isAbsent = error instanceof Failure && error.kind === 'not_found';
    const direction = isAbsent ? await directionOf(id, run) : null;
    if (!isAbsent || direction === null || direction === operationsOf(run.row)) throw error;
    const text = `${error.head} That operation is a ${direction}.`;
    const nextCommand = svcLine(`${direction}s get`, whereFlags(run.flags), [id]);
    throw new Failure(error.kind, text, { ...error.facts, nextCommand, cause: error });
  }
}

/** As it is known here; null where it is not, or where that can't be read: the answer is what it is without it. */
async function directionOf(id: string, run: Run): Promise<Direction | null> {
  const quiet = { ...run, flags: { ...run.flags, quiet: true } };
  const [{ withSession }, { withKnownOperations }] = await Promise.all([
    import('../session/session.js'),
    import('./known-operations.js'),
  ]);
  try {
    let found: Direction | null = null;
    await withSession(quiet, async (open) => {
      const [one] = await withKnownOperations(
        open,
        true,
        (known) => known.ofBeginning(id.toLowerCase(), 1),
        'news',
      );
      found = one?.direction ?? null;
    });
    return found;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
