/** What an answer to a key that follows from the payment says of another request: an older payment, or other data under the same key. */
import { jsonIn } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import { newestOf, paymentsIn, splitPayments, triesExplained } from '../../bulk/check/payments.js';
import type { PaymentTry } from '../../bulk/key.js';
import { isSameId } from '../../contract/notation.js';
import { isFinal } from '../../contract/operation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import type { Conclusion } from '../../client/conclusion.js';
import { accountTail } from '../../contract/marks.js';
import type { KeptRequest } from '../../journal/request.js';
import { Failure } from '../../runtime/failure.js';
import { commandLine } from '../../runtime/shell.js';
import type { Where } from '../line/where.js';
import type { SessionRun } from '../session/session.js';
import { type Creating, refusalIn, refusalBy } from './creating.js';
import type { RefusedCreate } from './standing-failure.js';
import { nextTry } from './asking.js';
import { readWholeFeed } from './from-events.js';

/** The service has answered with a payment that was there before: this create has made nothing. */
export function olderOf(
  { operation, answer }: Conclusion,
  request: KeptRequest,
  run: SessionRun<Where>,
  without: RefusedCreate['without'] = null,
): Failure {
  const { row, idempotencyKey: key, direction } = request;
  const body = answer === null ? {} : jsonIn(answer.body);
  return refusalIn(
    run,
    { about: request, without },
    {
      ...{
        operation: operation?.id ?? null,
        status: operation?.status ?? 'pending',
        direction,
        amount: operation?.amount,
        currency: operation?.currency,
      },
      ...{ atMs: operation?.createdAtMs ?? null, source: { kind: 'request', key }, isOurs: true, row },
      accountTail: isObject(body) ? accountTail(body, direction) : null,
      twinMark: null,
    },
  );
}

/** The key of the next try. */
export function nextOf({ leaving: { follows, generation } }: Creating): PaymentTry {
  return { follows, generation: (generation ?? 0) + 1 };
}

/**
 * The service has answered with a payment from before: after one that failed comes the next try, and one that the caller calls another is what
 * this payment follows.
 * @throws Failure `unsafe` where it is the payment that is meant
 */
export async function afterOlder(
  creating: Creating,
  request: KeptRequest,
  operation: OperationFacts,
  conclusion: Conclusion,
): Promise<PaymentTry> {
  const { rules, standing, run } = creating;
  if (operation.status === 'failed') return nextOf(creating);
  standing.learn(operation);
  const payments = paymentsIn(await standing.evidence(null), request.direction);
  const { last } = splitPayments(payments, rules);
  const isFollowed =
    last?.operation !== null && last?.operation !== undefined && isSameId(last.operation, operation.id);
  if (!isFollowed) throw olderOf(conclusion, request, run, []);
  if (!isFinal(last.status)) throw refusalBy(creating, last);
  return nextTry(creating);
}

/**
 * The key has made another request, so these bytes were never carried out, and what it made is in the feed.
 * @returns the next try, where the tries under the keys up to this one have failed
 * @throws Failure `unsafe` where a payment stands in the way, or the feed does not tell of one yet
 */
export async function afterReuse(creating: Creating): Promise<PaymentTry> {
  const { standing, leaving, rules } = creating;
  await readWholeFeed(standing);
  const evidence = await standing.evidence(null);
  const { direction, generation } = leaving;
  const newest = newestOf(splitPayments(paymentsIn(evidence, direction), rules).after);
  if (newest !== null) throw refusalBy(creating, newest);
  const nowMs = creating.run.session.clock.now();
  if (triesExplained(evidence, { ...rules, direction, nowMs }) >= (generation ?? 1)) return nextOf(creating);
  throw laterFailure(creating);
}

/** The service has a payment of this name, and nothing says yet what became of it. */
export function laterFailure({ run, leaving }: Creating): Failure {
  return new Failure(
    'unsafe',
    'The service already has a payment of this reference with other data. The events do not show it yet, so it may be pending. Nothing ' +
      'was sent. Run this again later.',
    {
      ...{ code: 'reference_pending', outcome: 'not_sent', retryable: true },
      idempotencyKey: leaving.idempotencyKey,
      nextCommand: commandLine(['svc', ...run.typed]),
    },
  );
}
