/** An operation asked for by its direction: where the service has none, one of the other direction that is known here is named. */
import { operationsOf } from '../../contract/endpoints.js';
import type { Direction } from '../../contract/operation.js';
import { Failure } from '../../runtime/failure.js';
import { svcLine } from '../../runtime/shell.js';
import type { EndpointRun } from '../call/endpoint-call.js';
import type { Run } from '../command.js';
import { whereFlags } from '../line/where.js';

/** Has it read or changed, and says where it is to be found else. @throws what the work throws */
export async function namingDirection(
  run: EndpointRun,
  id: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isAbsent = error instanceof Failure && error.kind === 'not_found';
    const direction = isAbsent ? await directionOf(id, run) : null;
    const asked = operationsOf(run.row);
    if (!isAbsent || direction === null || asked === undefined || direction === asked) throw error;
    const text = `${id} is a ${NAMES[direction]}, not a ${NAMES[asked]}.`;
    const nextCommand = svcLine(`${direction}s get`, whereFlags(run.flags), [id]);
    throw new Failure(error.kind, text, { ...error.facts, nextCommand, cause: error });
  }
}

const NAMES = { payin: 'pay-in', payout: 'payout' } as const satisfies Record<Direction, string>;

/** As it is known here; null where it is not, or where that can't be read: the answer is what it is without it. */
async function directionOf(id: string, run: Run): Promise<Direction | null> {
  const quiet = { ...run, flags: { ...run.flags, quiet: true } };
  const [{ withSession }, { withKnownOperations }] = await Promise.all([
    import('../session/session.js'),
    import('./known-operations.js'),
  ]);
  try {
    const [found] = await withSession(quiet, (open) =>
      withKnownOperations(open, true, (known) => known.ofBeginning(id.toLowerCase(), 1), 'news'),
    );
    return found?.direction ?? null;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
