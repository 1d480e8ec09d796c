/** Two ends of one operation: found between stores and events, and kept in the mirror until a person has asked what it is. */
import { areContradicting } from '../contract/operation.js';
import type { Ends, OperationFacts } from '../contract/operation-facts.js';
import type { Mirror } from './mirror.js';
import type { ProvedMirror } from './proved.js';

type EndsMirror = Pick<Mirror, 'ofIds' | 'commit' | 'reading'>;

/**
 * The operations that the events end otherwise than they are held: from now on the mirror says so. What others may have written counts where the
 * service says the same.
 * @param held statuses by ids
 */
export async function contradictedIn(
  mirror: EndsMirror,
  proved: Pick<ProvedMirror, 'ofIds'>,
  held: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, OperationFacts>> {
  const isOther = (id: string, { status, ends }: OperationFacts): boolean =>
    ends !== 'told' && (ends === 'both' || areContradicting(held.get(id) ?? '', status));
  const suspects = [...(await mirror.ofIds([...held.keys()]))].filter((one) => isOther(...one));
  const found = [...(await proved.ofIds(suspects.map(([id]) => id)))].filter((one) => isOther(...one));
  for (const [, operation] of found) await keepEnds(mirror, operation, 'both');
  return new Map(found);
}

/** Keeps what is known of the ends of an operation beside its events. */
export async function keepEnds(mirror: EndsMirror, operation: OperationFacts, ends: Ends): Promise<void> {
  const { id, direction, createdAtMs } = operation;
  const known = (await mirror.ofIds([id])).get(id);
  const unknown = { direction: direction ?? 'payout', occurredAtMs: createdAtMs ?? 0, eventId: '' };
  const event = known ?? { ...operation, ...unknown };
  const status = ends === 'both' ? 'confirmed' : operation.status;
  const reference = operation.reference ?? event.reference;
  const told = { ...event, ...operation, direction: event.direction, reference, status, ends };
  await mirror.commit([told], await mirror.reading());
}
