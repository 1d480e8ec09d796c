/** A create where another database server has taken over: the book may have forgotten that it was sent before, and the events have not. */
import type { OperationClaims } from '../../contract/claims.js';
import { momentMs } from '../../contract/notation.js';
import { foldReference } from '../../contract/reference.js';
import type { Journal } from '../../journal/journal.js';
import { type KeptRequest, MARKS_KEPT_MS } from '../../journal/request.js';
import { Failure } from '../../runtime/failure.js';
import { type Where, whereFlags } from '../line/where.js';
import { openMirror } from '../feed/mirror.js';
import { svcLine } from '../../runtime/shell.js';
import type { SessionRun } from '../session/session.js';

/** Clocks of database and service may be that far apart. */
const CLOCKS_MS = 10 * 60_000;

/**
 * What was made since is in the book; what was made before is either, or was forgotten.
 * @throws Failure `unsafe`: `reference_open` for a payment of its reference that the book does not know, `feed_unreadable`
 */
export async function refuseUnlessNew(
  request: KeptRequest,
  takenOverMs: number,
  journal: Journal,
  run: SessionRun<Where>,
): Promise<void> {
  const { environment, direction, referenceMark } = request;
  if (referenceMark === null) {
    await run.session.note(
      'Another database server has taken over since, and may have forgotten creates: without a reference nobody can say whether this one was ' +
        'sent before.',
    );
    return;
  }
  const payments = await paymentsOf(request, run);
  const book = await journal.ofReferences({ environment, direction, referenceMarks: [referenceMark] });
  const known = new Set(book.map(({ settled }) => settled?.operation));
  const isForgotten = ({ id, status, createdAt }: OperationClaims): boolean => {
    const atMs = momentMs(createdAt) ?? takenOverMs;
    const mayBe = atMs > takenOverMs - MARKS_KEPT_MS && atMs < takenOverMs + CLOCKS_MS;
    return status !== 'failed' && mayBe && !known.has(id);
  };
  const forgotten = payments.find(isForgotten);
  if (forgotten !== undefined) throw paidBefore(forgotten, run.flags);
}

async function paymentsOf(
  { body, direction }: KeptRequest,
  run: SessionRun<Where>,
): Promise<readonly OperationClaims[]> {
  const { reference } = JSON.parse(Buffer.from(body ?? []).toString('utf8')) as { reference: string };
  const folded = foldReference(reference);
  const open = await openMirror(run);
  try {
    await open.sync().catch(unreadable);
    return (await open.proved.ofReferences(direction, [folded])).get(folded) ?? [];
  } finally {
    await open.close();
  }
}

function paidBefore({ id, createdAt }: OperationClaims, where: Where): Failure {
  const when = createdAt === undefined ? '' : ` of ${createdAt}`;
  return new Failure(
    'unsafe',
    `Another database server has taken over since, and may have forgotten creates: the events hold the payment ${id}${when} with this ` +
      'reference, which nothing in the book is known to have made. Nothing was sent. Where another payment is meant, say --new-payment.',
    {
      ...{ code: 'reference_open', outcome: 'not_sent' },
      nextCommand: svcLine('transactions get', whereFlags(where), [id]),
    },
  );
}

/** What keeps the events from being read keeps it from being sent; a key that may not read them is what it is. */
function unreadable(error: unknown): never {
  if (!(error instanceof Failure) || ['no_access', 'local_state', 'locked'].includes(error.kind)) throw error;
  throw new Failure(
    'unsafe',
    `${error.head} Another database server has taken over since, and may have forgotten creates: what was paid is only in the events, which ` +
      'cannot be read. Nothing was sent. Where this is certainly another payment, say --new-payment.',
    { ...error.facts, code: 'feed_unreadable', outcome: 'not_sent', retryable: true, cause: error },
  );
}
