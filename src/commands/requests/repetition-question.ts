/** Asks a person at a live terminal before a request leaves once more. */
import { confirmPrepared } from '../../cli/call/confirmation.js';
import { ageIn } from '../../cli/create/sending.js';
import type { SessionRun } from '../../cli/session/session.js';
import type { Prepared } from '../../client/preparation.js';
import { mayLeaveAgain } from '../../contract/moment.js';
import { ageAt, type OpenRequest } from '../../journal/request.js';
import { Failure } from '../../runtime/failure.js';

/**
 * Nobody is asked about one that is too old: it does not leave. Whoever is asked may think until it is.
 * @throws Failure `unsafe` where the person did not say yes: what left before is as open as it was; Stopped
 */
export async function confirmRepetition(
  request: OpenRequest,
  prepared: Prepared,
  run: SessionRun,
): Promise<void> {
  const { idempotencyKey, mayNotRepeat } = request;
  if (mayNotRepeat || !mayLeaveAgain(ageAt(request, ageIn(run.session)))) return;
  try {
    await confirmPrepared(run, prepared, true);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.kind, error.head, { ...error.facts, outcome: 'unknown', idempotencyKey });
  }
}
