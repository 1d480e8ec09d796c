/** Finds operations that are confirmed in a store and failed in the events, or the reverse, and keeps both ends in the mirror until a person has looked. */
import { areContradicting } from '../contract/operation.js';
import type { Ends, OperationFacts } from '../contract/operation-facts.js';
import type { Mirror } from '../storage/mirror/mirror.js';
import type { ProvedMirror } from './proved.js';

type EndsMirror = Pick<Mirror, 'ofIds' | 'commit' | 'reading'>;

/** Marks and returns operations whose events contradict `statuses` (by id). An operation in a shared mirror counts only if the service agrees. */
export async function markContradicted(
  mirror: EndsMirror,
  proved: Pick<ProvedMirror, 'ofIds'>,
  statuses: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, OperationFacts>> {
  const contradicts = (id: string, { status, ends }: OperationFacts): boolean =>
    ends !== 'told' && (ends === 'both' || areContradicting(statuses.get(id) ?? '', status));
  const suspects = [...(await mirror.ofIds([...statuses.keys()]))].filter((one) => contradicts(...one));
  const contradicted = [...(await proved.ofIds(suspects.map(([id]) => id)))].filter((one) =>
    contradicts(...one),
  );
  for (const [, operation] of contradicted) await keepEnds(mirror, operation, 'both');
  return new Map(contradicted);
}

/** Notes in the mirror which ends were reported of an operation. Makes the entry if the mirror has none. */
export async function keepEnds(mirror: EndsMirror, operation: OperationFacts, ends: Ends): Promise<void> {
  const { id, direction, createdAtMs } = operation;
  const entry = (await mirror.ofIds([id])).get(id);
  const unknownFacts = { direction: direction ?? 'payout', occurredAtMs: createdAtMs ?? 0, eventId: '' };
  const event = entry ?? { ...operation, ...unknownFacts };
  const status = ends === 'both' ? 'confirmed' : operation.status;
  const reference = operation.reference ?? event.reference;
  const merged = { ...event, ...operation, direction: event.direction, reference, status, ends };
  await mirror.commit([merged], await mirror.reading());
}
