/** Keeps a live batch from paying what a lost store may have paid: the service remembers keys for a day, the events for ever. */
import { findEarlier, type Earlier } from '../../bulk/run/earlier-search.js';
import type { OperationClaims } from '../../bulk/run/delivery.js';
import type { Batch } from '../../bulk/store/batch-store.js';
import { isRepeatable } from '../../journal/intent.js';
import { Failure } from '../../runtime/failure.js';
import { feedOf } from './feed.js';
import type { BulkJob } from './sending.js';

const SHOWN = 20;

/**
 * Returns where the batch may be sent. Only the first batch that a store has of an address is looked for in the events: a store that
 * knows others was not lost. Where the events can't be read for good, a note says so.
 * @throws Failure `unsafe` where they hold older operations with references of the batch, which is dropped then; `unavailable` and
 *   `network` where they can't be read for the moment
 */
export async function refuseEarlier(batch: Batch, job: BulkJob): Promise<void> {
  const { store, session, house, flags } = job;
  if (session.environment !== 'live' || (await hasOthers(batch, job))) return;
  await session.note(
    'This is the first batch here for this address: looking for its references in the events.',
  );
  const nowMs = house.ports.clock.now();
  // Younger ones are answered by their key, and not paid again.
  const isOld = ({ createdAt = '' }: OperationClaims): boolean =>
    !isRepeatable({ createdAtMs: Date.parse(createdAt) }, nowMs);
  try {
    const earlier = await findEarlier(batch, store, feedOf(session, house, flags), isOld);
    if (earlier.length === 0) return;
    await store.discard(batch.id);
    throw carriedOut(batch, earlier);
  } catch (error) {
    const isPassing =
      !(error instanceof Failure) || ['unsafe', 'unavailable', 'network'].includes(error.kind);
    if (isPassing) throw error;
    await session.note(`${error.message} So it is not known whether an earlier run has paid these rows.`);
  }
}

async function hasOthers(batch: Batch, { store }: BulkJob): Promise<boolean> {
  const others = (await store.list()).filter(({ id }) => id !== batch.id);
  return others.some(
    ({ environment, address }) => environment === batch.environment && address === batch.address,
  );
}

function carriedOut(batch: Batch, earlier: readonly Earlier[]): Failure {
  const lines = earlier.slice(0, SHOWN).map(({ line, reference, operation }) => {
    const { id, status, amount = '?', currency = '?', createdAt = 'some time' } = operation;
    return `line ${line}: ${reference} is ${id}, ${status}, ${amount} ${currency}, of ${createdAt}`;
  });
  const more = earlier.length > SHOWN ? [`and ${earlier.length - SHOWN} more`] : [];
  const head =
    `The events hold operations with ${earlier.length} of the references of batch ${batch.name}, too old to be known by their keys: ` +
    'these rows may have been paid. Nothing was sent. Take them out of the file, or say --allow-repeat where they are to be paid once more.';
  return new Failure('unsafe', [head, ...lines, ...more].join('\n'), {
    code: 'rows_repeated',
    outcome: 'not_sent',
  });
}
