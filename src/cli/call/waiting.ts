/**
 * `--wait` and `--exit-status`: follows the operation of a conversation, shows a person how far it is, and says how its state is judged.
 */
import type { Conversation } from '../../client/client.js';
import { conclude, type Judge } from '../../client/conclusion.js';
import { isFinal } from '../../contract/operation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import type { EndpointId } from '../../contract/endpoints.js';
import { isUuid } from '../../contract/notation.js';
import { escapeText } from '../../output/escape.js';
import { chooseMode } from '../../output/mode.js';
import type { Ports } from '../../runtime/ports.js';
import type { GlobalFlags } from '../command.js';
import { durationMs } from '../line/duration.js';
import { mayRepaint } from '../line/interaction.js';
import type { SessionRun } from '../session/session.js';
import type { EndpointFlags } from './endpoint-call.js';

interface Followed {
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
    await session.note('svc cannot wait for this operation: the id from the service is not a uuid.');
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
    await session.note(
      `svc could not read the operation again: ${error?.message ?? 'the service refused it.'}`,
    );
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

interface WaitingProgress {
  /** After each read; null where it could not be read. */
  readonly show: (operation: OperationFacts | null) => void;
  readonly clear: () => Promise<void>;
}

const LINE_START = '\r\u001b[K';

/** Silent where nobody looks: no terminal, `--quiet`, one that cannot move its cursor, or a person who wants nothing repainted. */
function waitingProgress(
  { errors, clock, env, output }: Ports,
  flags: Pick<GlobalFlags, 'quiet' | 'output' | 'json' | 'jq'>,
): WaitingProgress {
  const isSeen = !flags.quiet && mayRepaint({ errors, env });
  const startedMs = clock.monotonic();
  let isShown = false;
  return {
    show: (operation) => {
      if (!isSeen) return;
      isShown = true;
      const seconds = Math.round((clock.monotonic() - startedMs) / 1000);
      const line = `Waiting, ${String(seconds)} s: ${stateOf(operation)}`;
      void errors.write(LINE_START + line.slice(0, Math.max(0, errors.columns - 1)));
    },
    clear: async () => {
      if (!isShown) return;
      const isTable = chooseMode(flags, env['SVC_OUTPUT'], output.isTTY, 'single') === 'table';
      // What is read by a program, such as the error as JSON, is a line with nothing before it.
      await errors.write(isTable ? LINE_START : `${LINE_START}\n`);
    },
  };
}

function stateOf(operation: OperationFacts | null): string {
  if (operation === null) return 'no answer, asking again';
  const { status, code } = operation;
  return escapeText(code === null || isFinal(status) ? status : `${status} (${code})`);
}
