/** `--wait` and `--exit-status`: follows the operation of a conversation, and says how its state is judged. */
import type { Conversation } from '../../client/client.js';
import { conclude, type Judge } from '../../client/conclusion.js';
import type { EndpointId } from '../../contract/endpoints.js';
import { isUuid } from '../../contract/ids.js';
import { durationMs } from '../line/duration.js';
import type { EndpointFlags } from './endpoint-call.js';
import type { SessionRun } from '../session/session.js';
import { waitingProgress } from './waiting-progress.js';

export interface Followed {
  readonly conversation: Conversation;
  readonly judge: Judge;
}

/** The conversation that counts in the end; the first one where nothing was to be waited for. */
export async function waitedFor(
  sent: Conversation,
  { session, ports, flags }: SessionRun<EndpointFlags>,
): Promise<Followed> {
  const timeoutMs = waitTimeoutMs(flags);
  if (timeoutMs === null) {
    return { conversation: sent, judge: flags['exit-status'] === true ? 'status' : 'answer' };
  }
  // The operation of a lookup settles a lost confirm as well; where the outcome is unknown there is nothing to wait for.
  const { operation, exitCode } = conclude(sent, 'waited');
  if (operation === null || exitCode === 12) return { conversation: sent, judge: 'waited' };
  if (!isUuid(operation.id)) {
    await session.note('The operation cannot be waited for: the id that the service gave it is no uuid.');
    return { conversation: sent, judge: 'waited' };
  }
  const { waitForOperation } = await import('../../client/wait.js');
  const progress = waitingProgress(ports, flags);
  const waited = await waitForOperation({
    read: (readTimeoutMs) =>
      session.client.call(
        readOf(sent.endpointId),
        { id: operation.id },
        { attemptsMax: 1, timeoutMs: readTimeoutMs, signal: ports.signal },
      ),
    clock: ports.clock,
    timeoutMs,
    known: operation,
    signal: ports.signal,
    onRead: progress.show,
  }).finally(progress.clear);
  // A read that is refused says nothing about the create or confirm before it: its operation is the one in hand.
  if (waited.end === 'refused' && sent.retry !== 'safe' && waited.conversation !== null) {
    const { error } = conclude(waited.conversation);
    await session.note(`The operation could not be read again: ${error?.message ?? 'the read was refused.'}`);
    return { conversation: sent, judge: 'waited' };
  }
  // Whatever is read afterwards is still about the create and its key.
  const { idempotencyKey } = sent;
  return { conversation: { ...(waited.conversation ?? sent), idempotencyKey }, judge: 'waited' };
}

/** How long to wait for the operation; null: not at all. @throws Failure `usage` */
export function waitTimeoutMs(flags: EndpointFlags): number | null {
  const timeout = flags['wait-timeout'];
  if (flags.wait !== true && timeout === undefined) return null;
  return durationMs(timeout ?? '10m', '--wait-timeout');
}

/** The read that belongs to a create, a confirm or a read. */
function readOf(endpointId: EndpointId | null): EndpointId {
  if (endpointId?.startsWith('payins.') === true) return 'payins.get';
  return endpointId?.startsWith('payouts.') === true ? 'payouts.get' : 'transactions.get';
}
