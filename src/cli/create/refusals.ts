/** What refuses a create that the journal itself would let pass: another company's key, and a reference that a batch has. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Journal, Recorded } from '../../journal/journal.js';
import type { KeptRequest, Leaving } from '../../journal/request.js';
import { Failure } from '../../runtime/failure.js';
import { lookUp } from '../call/looking-up.js';
import { type Where, whereFlags } from '../line/where.js';
import { svcLine } from '../../runtime/shell.js';
import { isSameSender } from '../session/address.js';
import type { SessionRun } from '../session/session.js';
import { sharedStateOf } from '../stores/shared.js';
import type { BookRun } from '../stores/state-settings.js';
import type { ReferenceHit } from './reference-hit.js';

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
    `This key made the operation ${known.operation} for another company: this API key does not see it. Nothing was sent. Use a key of the ` +
      'company that sent it; where another payment is meant, it takes another idempotency key.',
    { code: 'other_company', outcome: 'not_sent', idempotencyKey: request.idempotencyKey },
  );
}

/** @throws Failure `unsafe` (`reference_open`) where its reference is open or paid in a batch */
export async function refuseReference(request: KeptRequest, run: SessionRun<Where>): Promise<void> {
  if (request.referenceMark === null || !mayHaveBatches(run)) return;
  const { hitInBatches } = await import('./reference-hit.js');
  const hit = await hitInBatches(request, run, async (id) =>
    (await lookUp(id, run)) === null ? 'absent' : 'there',
  );
  if (hit !== null) throw inBatch(hit, run.flags);
}

/** @throws as `refuseUnlessNew` */
export async function refuseForgotten(
  request: KeptRequest,
  journal: Journal,
  run: SessionRun<Where>,
): Promise<void> {
  const takenOverMs = await journal.takenOverAtMs();
  if (takenOverMs === null) return;
  const { refuseUnlessNew } = await import('./takeover.js');
  await refuseUnlessNew(request, takenOverMs, journal, run);
}

/** Nothing more is loaded where there never was one. */
function mayHaveBatches(run: BookRun): boolean {
  return sharedStateOf(run) !== null || existsSync(join(run.ports.paths.state, 'batches.db'));
}

function inBatch({ batch, line, operation, isPaid }: ReferenceHit, where: Where): Failure {
  const what = isPaid
    ? `was paid in batch ${batch} (line ${line}${operation === null ? '' : `, operation ${operation}`})`
    : `is under way in batch ${batch} (line ${line})`;
  const command = svcLine(`batches ${isPaid ? 'status' : 'resume'}`, whereFlags(where), [batch]);
  return new Failure(
    'unsafe',
    `This reference ${what}. Nothing was sent. Where another payment is meant, say --new-payment.`,
    { code: 'reference_open', outcome: 'not_sent', nextCommand: command },
  );
}
