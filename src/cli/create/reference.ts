/** Keeps a single create from paying what a batch of this machine has paid, or is about to. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { KeptRequest } from '../../journal/request.js';
import { Failure } from '../../runtime/failure.js';
import { lookUp } from '../call/looking-up.js';
import type { ReferenceHit } from './reference-hit.js';
import { whereFlags, type Where } from '../call/next.js';
import { svcLine } from '../line/shell.js';
import type { SessionRun } from '../session/session.js';

/** @throws Failure `unsafe` (`reference_open`) where its reference is open or paid in a batch */
export async function refuseReference(request: KeptRequest, run: SessionRun<Where>): Promise<void> {
  const { ports, flags } = run;
  const file = join(ports.paths.state, 'batches.db');
  if (request.referenceMark === null || !existsSync(file)) return;
  const { hitInBatches } = await import('./reference-hit.js');
  const hit = await hitInBatches(file, request, ports, async (id) =>
    (await lookUp(id, run)) === null ? 'absent' : 'there',
  );
  if (hit !== null) throw inBatch(hit, flags);
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
