/** Whose key has made an operation before: another company's is refused, though the journal itself would let the create pass. */
import type { Recorded } from '../../journal/journal.js';
import type { Leaving } from '../../journal/request.js';
import { Failure } from '../../runtime/failure.js';
import { lookUp } from '../call/looking-up.js';
import type { Where } from '../line/where.js';
import { isSameSender } from '../session/address.js';
import type { SessionRun } from '../session/session.js';

/**
 * A create whose key is known to have made an operation is answered with that one, if the company is the same: another API key, or another
 * address, has to see it.
 * @throws Failure `unsafe` (`other_company`); by the table of exit codes where the service does not say
 */
export async function requireMaker(
  { request, known }: Recorded,
  leaving: Leaving,
  run: SessionRun<Where>,
): Promise<void> {
  if (known === null || isSameSender(request, leaving)) return;
  if ((await lookUp(known.operation, run)) !== null) return;
  throw new Failure(
    'unsafe',
    `This idempotency key made operation ${known.operation} for another company: this API key does not see it. Nothing was sent. Use an API key ` +
      'of that company. For another payment, use another idempotency key.',
    { code: 'other_company', outcome: 'not_sent', idempotencyKey: request.idempotencyKey },
  );
}
