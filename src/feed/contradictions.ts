import { areContradicting } from '../contract/operation.js';
import type { Contradiction, OperationFacts } from '../contract/operation-facts.js';
import type { Mirror } from '../storage/mirror/mirror.js';
import type { ProvedMirror } from './proved.js';

type WritableMirror = Pick<Mirror, 'ofIds' | 'commit' | 'reading'>;

export async function markContradicted(
  mirror: WritableMirror,
  provedMirror: Pick<ProvedMirror, 'ofIds'>,
  statuses: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, OperationFacts>> {
  const isContradicted = (id: string, { status, ends }: OperationFacts): boolean =>
    ends !== 'told' && (ends === 'both' || areContradicting(statuses.get(id) ?? '', status));
  const suspects = [...(await mirror.ofIds([...statuses.keys()]))].filter((entry) =>
    isContradicted(...entry),
  );
  const contradictedEntries = [...(await provedMirror.ofIds(suspects.map(([id]) => id)))].filter((entry) =>
    isContradicted(...entry),
  );
  for (const [, operation] of contradictedEntries) await keepContradiction(mirror, operation, 'both');
  return new Map(contradictedEntries);
}

export async function keepContradiction(
  mirror: WritableMirror,
  operation: OperationFacts,
  ends: Contradiction,
): Promise<void> {
  const { id, direction, createdAtMs } = operation;
  const row = (await mirror.ofIds([id])).get(id);
  const defaultFacts = { direction: direction ?? 'payout', occurredAtMs: createdAtMs ?? 0, eventId: '' };
  const base = row ?? { ...operation, ...defaultFacts };
  const status = ends === 'both' ? 'confirmed' : operation.status;
  const reference = operation.reference ?? base.reference;
  const mergedOperation = { ...base, ...operation, direction: base.direction, reference, status, ends };
  await mirror.commit([mergedOperation], await mirror.reading());
}
