import { heldOperationIds } from './evidence.js';
import type { PreparedRequest } from '../../client/request.js';
import { matchesPayment, type OperationFacts } from '../../contract/operation-facts.js';
import { SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import { momentText } from '../../contract/notation.js';
import type { Journal } from '../../storage/journal/journal.js';
import type { JournalRequest, SettledRequest } from '../../storage/journal/request.js';
import { Failure, type FailureFacts } from '../../runtime/failure.js';
import { lookUp } from '../../command/read.js';
import { failureOf, concludeCall } from '../../command/ending.js';
import type { Where } from '../../session/place-flags.js';
import { OWN_OPERATION_MAX_MS } from './row-outcome.js';
import { newestOf, paymentsIn, splitPayments, type Evidence } from './payments.js';
import type { PlannedCreate } from '../create/planned-create.js';
import { knownPaymentFailure } from '../refusals.js';
import type { KnownPayments } from './known-payments.js';
import type { SessionRun } from '../../command/command.js';
import { type CreateEnd, settlementOf } from '../create/send-recorded.js';

export async function readWholeFeed(
  knownPayments: KnownPayments,
  prefix = '',
  rereads = true,
): Promise<void> {
  await knownPayments.readFeed(rereads).catch((error: unknown) => {
    throw feedUnreadableFailure(
      error,
      (head) =>
        `${head} ${prefix}Only the events show whether it was paid, and svc cannot read them. Nothing was sent. Run this again later. If you know ` +
        'that it was not paid, add --skip-feed-check.',
    );
  });
}

export function feedUnreadableFailure(
  error: unknown,
  textOf: (head: string) => string,
  facts: FailureFacts = {},
): unknown {
  if (!(error instanceof Failure) || ['no_access', 'local_state', 'locked'].includes(error.kind))
    return error;
  const reason = { code: 'feed_unreadable', outcome: 'not_sent', retryable: true, cause: error } as const;
  return new Failure('unsafe', textOf(error.head), { ...error.facts, ...reason, ...facts });
}

export function ownOperation(
  { direction, amount, currency, firstLeftMs: sentAtMs }: JournalRequest,
  evidence: Evidence,
): OperationFacts | null {
  const heldIds = heldOperationIds(evidence);
  const isCandidate = ({ id, createdAtMs: atMs }: OperationFacts): boolean => {
    if (atMs === null || heldIds.has(id.toLowerCase())) return false;
    return atMs >= sentAtMs - SERVICE_CLOCKS_MS && atMs <= sentAtMs + OWN_OPERATION_MAX_MS;
  };
  const [candidate, ...otherCandidates] = evidence.operations.filter(isCandidate);
  if (candidate === undefined || otherCandidates.length > 0 || amount === null || currency === null)
    return null;
  return matchesPayment({ direction, amount, currency }, candidate) ? candidate : null;
}

/** Failed and contradicted operations are left out, because they may belong to another try. */
async function operationInFeed(
  request: JournalRequest,
  knownPayments: KnownPayments,
): Promise<OperationFacts | null> {
  const evidence = await knownPayments.evidence(request.row);
  const isCertain = ({ status, ends }: OperationFacts): boolean => status !== 'failed' && ends !== 'both';
  return ownOperation(request, { ...evidence, operations: evidence.operations.filter(isCertain) });
}

export async function settleFromEvents(
  request: JournalRequest,
  journal: Journal,
  knownPayments: KnownPayments,
): Promise<SettledRequest | null> {
  const operation = await operationInFeed(request, knownPayments);
  if (operation === null) return null;
  const settlement = settlementOf(operation);
  await journal.settle(request, settlement);
  return settlement;
}

export interface UnsentRepeat extends Pick<PlannedCreate, 'prepared' | 'knownPayments'> {
  readonly request: JournalRequest;
}

export async function endWithoutSending(
  { request, prepared, knownPayments }: UnsentRepeat,
  run: SessionRun<Where>,
): Promise<CreateEnd | null> {
  const { session } = run;
  const settledAnswer = request.settled === null ? null : await lookUp(request.settled.operation, run);
  const isFromFeed =
    settledAnswer === null && request.referenceMark !== null && (await tryReadFeed(knownPayments, run));
  const operation = isFromFeed ? await operationInFeed(request, knownPayments) : settledAnswer?.operation;
  if (operation === null || operation === undefined) return null;
  const result = concludeCall(await readAsAnswer(prepared, operation, run));
  const createdAt = operation.createdAtMs === null ? 'an unknown time' : momentText(operation.createdAtMs);
  await session.note(
    `The ${isFromFeed ? 'events have' : 'service has'} the operation of this request: ${operation.id}, created at ${createdAt}. Nothing was sent again.`,
  );
  return { result, request, learntTimes: () => ({ anchor: session.clock.anchor }), wasSent: false };
}

export async function endIfInFeed(repeat: UnsentRepeat, run: SessionRun<Where>): Promise<CreateEnd | null> {
  const { request, knownPayments } = repeat;
  const { idempotencyKey, firstLeftMs, direction } = request;
  await readWholeFeed(knownPayments);
  const end = await endWithoutSending(repeat, run);
  if (end !== null) return end;
  const payments = paymentsIn(await knownPayments.evidence(request.row), direction);
  const { blocking } = splitPayments(payments, { sinceMs: firstLeftMs - SERVICE_CLOCKS_MS });
  const newerPayment = newestOf(blocking.filter(({ operation }) => operation !== null));
  if (newerPayment === null) return null;
  const refusedCreate = { ...run, subject: request, droppedFlags: null };
  const { kind, head, facts } = knownPaymentFailure(newerPayment, refusedCreate);
  throw new Failure(kind, head, { ...facts, outcome: 'unknown', idempotencyKey });
}

async function tryReadFeed(knownPayments: KnownPayments, { session }: SessionRun<Where>): Promise<boolean> {
  try {
    await knownPayments.readFeed(false);
    return true;
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'local_state' || error.kind === 'locked') throw error;
    await session.note(`${error.head} svc cannot read the events, so they do not show the outcome.`);
    return false;
  }
}

async function readAsAnswer(prepared: PreparedRequest, { id }: OperationFacts, run: SessionRun<Where>) {
  const { signal } = run.ports;
  const conversation = await run.session.client.call('transactions.get', { id }, { signal });
  signal.throwIfAborted();
  const result = concludeCall(conversation);
  if (result.conclusion.operation === null) {
    const failure = failureOf(result, run);
    throw new Failure(failure.kind, failure.head, {
      ...failure.facts,
      ...{ outcome: 'unknown', idempotencyKey: prepared.idempotencyKey ?? undefined },
    });
  }
  return {
    ...prepared,
    attempts: conversation.attempts,
    lookup: null,
    create: { isOwnKey: true, firstLeftMs: null },
  };
}
