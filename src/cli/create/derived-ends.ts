/** What an answer to a key that follows from the payment says of another request: an older payment, or other data under the same key. */
import { jsonIn } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import { isBefore, newestOf, paymentsIn, type KnownPayment } from '../../bulk/check/payments.js';
import type { Evidence } from '../../bulk/check/evidence.js';
import type { Conclusion } from '../../client/conclusion.js';
import { accountTail } from '../../contract/marks.js';
import type { KeptRequest } from '../../journal/request.js';
import { Failure } from '../../runtime/failure.js';
import { commandLine } from '../../runtime/shell.js';
import type { Where } from '../line/where.js';
import type { SessionRun } from '../session/session.js';
import { type Creating, refusalIn, refusalBy } from './creating.js';
import type { RefusedCreate } from './standing-failure.js';
import { readWholeFeed } from './from-events.js';
import { isNamed } from './verdict.js';

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

/**
 * The key has made another request, so these bytes were never carried out, and what it made is in the feed.
 * @returns true where the tries under the keys up to this one have failed: the next key is another try
 * @throws Failure `unsafe` where a payment stands in the way, or the feed does not tell of one yet
 */
export async function afterReuse(creating: Creating, generation: number): Promise<boolean> {
  const { standing, leaving } = creating;
  await readWholeFeed(standing);
  const evidence = await standing.evidence(null);
  const isOfSeries = seriesFilter(creating, evidence);
  const newest = newestOf(paymentsIn(evidence, leaving.direction).filter(isOfSeries));
  if (newest !== null) throw refusalBy(creating, newest);
  const failed = evidence.operations.filter(
    ({ id, status, createdAtMs: atMs }) =>
      status === 'failed' && isOfSeries({ operation: id, atMs, source: { kind: 'feed' } }),
  );
  if (failed.length >= generation) return true;
  throw laterFailure(creating);
}

type Placed = Pick<KnownPayment, 'operation' | 'atMs' | 'source'>;

/** What a key of the series may have made: nothing that was there before what it follows. */
function seriesFilter({ rules, leaving }: Creating, evidence: Evidence): (payment: Placed) => boolean {
  const { newPayment, sinceMs } = rules;
  if (sinceMs !== null) return (payment) => !isBefore(payment, sinceMs);
  if (newPayment === null) return () => true;
  const first = paymentsIn(evidence, leaving.direction).find((payment) => isNamed(payment, newPayment));
  const firstMs = first?.atMs ?? null;
  return (payment) =>
    !isNamed(payment, newPayment) && (firstMs === null || payment.atMs === null || payment.atMs > firstMs);
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
