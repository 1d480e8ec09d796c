/** Keeps a live batch from paying what a lost store may have paid: the service remembers keys for a day, the events for ever. */
import { findEarlier, type Earlier } from '../../bulk/run/earlier-search.js';
import { candidateText } from '../../bulk/run/candidates.js';
import type { Batch, BatchStore } from '../../bulk/store/batch-store.js';
import { isRepeatable } from '../../journal/intent.js';
import { Failure } from '../../runtime/failure.js';
import { feedOf } from './feed.js';
import type { BulkJob } from './sending.js';

/** A store that has known an address for longer than a payroll takes to come again was not lost a day ago. */
const NEW_DAYS = 35;
const DAY_MS = 24 * 3_600_000;

/**
 * Returns where the batch may be sent. It is looked for in the events while the store is new to the address: a store that was lost is
 * new, whatever was planned in it since. Where the events can't be read for good, a note says so.
 * @param allowsRepeats what they hold is to be paid once more
 * @throws Failure `unsafe` where they hold older operations with references of the batch, which is dropped then; `unavailable` and
 *   `network` where they can't be read for the moment; Stopped
 */
export async function refuseEarlier(batch: Batch, job: BulkJob, allowsRepeats: boolean): Promise<void> {
  const { store, session, house, flags } = job;
  const nowMs = house.ports.clock.now();
  if (session.environment !== 'live' || !(await isNew(batch, store, nowMs))) return;
  await session.note(
    `The store knows this address for less than ${NEW_DAYS} days: looking for the references of the batch in the events.`,
  );
  // Young ones are answered by their key, and not paid again.
  const isYoung = (createdAtMs: number): boolean => isRepeatable({ createdAtMs }, nowMs);
  try {
    const earlier = await findEarlier(batch, store, feedOf(session, house, flags), isYoung);
    if (earlier.rows === 0 || allowsRepeats) return;
    await store.discard(batch.id);
    throw carriedOut(batch, earlier);
  } catch (error) {
    const isPassing =
      !(error instanceof Failure) || ['unsafe', 'unavailable', 'network', 'local_state'].includes(error.kind);
    if (isPassing) throw error;
    await session.note(`${error.message} So it is not known whether an earlier run has paid these rows.`);
  }
}

/** True where no batch of the address was confirmed that long ago: one that was only planned has sent nothing, and proves nothing. */
async function isNew(batch: Batch, store: BatchStore, nowMs: number): Promise<boolean> {
  const firstMs = (await store.list())
    .filter(({ environment, address }) => environment === batch.environment && address === batch.address)
    .reduce((least, { confirmedAtMs }) => Math.min(least, confirmedAtMs ?? Infinity), Infinity);
  return nowMs - firstMs < NEW_DAYS * DAY_MS;
}

function carriedOut(batch: Batch, { rows, first }: Earlier): Failure {
  const lines = first.map(({ line, reference, operation }) => {
    const { createdAt = 'some time' } = operation;
    return `line ${line}: ${reference} is ${candidateText(operation)}, of ${createdAt}`;
  });
  const more = rows > first.length ? [`and ${rows - first.length} more`] : [];
  const head =
    `The events hold operations with ${rows} of the references of batch ${batch.name}, too old to be known by their keys: ` +
    'these rows may have been paid. Nothing was sent. Take them out of the file, or say --allow-repeat where they are to be paid once more.';
  return new Failure('unsafe', [head, ...lines, ...more].join('\n'), {
    code: 'rows_repeated',
    outcome: 'not_sent',
  });
}
