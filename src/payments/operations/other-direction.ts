import { endpointDirection } from '../../contract/endpoints.js';
import type { Direction } from '../../contract/operation.js';
import { Failure } from '../../runtime/failure.js';
import { svcLine } from '../../runtime/shell.js';
import type { EndpointRun } from '../../command/call.js';
import type { Run } from '../../command/command.js';
import { whereFlags } from '../../session/place-flags.js';

export async function withDirectionHint(
  run: EndpointRun,
  id: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isAbsent = error instanceof Failure && error.kind === 'not_found';
    const direction = isAbsent ? await localDirection(id, run) : null;
    const typedDirection = endpointDirection(run.row);
    if (!isAbsent || direction === null || typedDirection === undefined || direction === typedDirection)
      throw error;
    const text = `${id} is a ${DIRECTION_NAMES[direction]}, not a ${DIRECTION_NAMES[typedDirection]}.`;
    const nextCommand = svcLine(`${direction}s get`, whereFlags(run.flags), [id]);
    throw new Failure(error.kind, text, { ...error.facts, nextCommand, cause: error });
  }
}

const DIRECTION_NAMES = { payin: 'pay-in', payout: 'payout' } as const satisfies Record<Direction, string>;

async function localDirection(id: string, run: Run): Promise<Direction | null> {
  const { openKnownOperations } = await import('./known-operations.js');
  try {
    const sessionRun = { ...run, session: await run.app.quietSession() };
    await using operations = await openKnownOperations(sessionRun, true, 'news');
    const [operation] = await operations.findByIdBeginning(id.toLowerCase(), 1);
    return operation?.direction ?? null;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
