import { batchesOf } from './books.js';
import { nameOf, type SimulatedWorld } from './world.js';

export const FAULTS = ['twice', 'lost', 'lied', 'stuck'] as const;
export type Verdict = (typeof FAULTS)[number];

export const NAMES: Readonly<Record<Verdict, string>> = {
  twice: 'histories with somebody paid twice',
  lost: 'histories with something lost',
  lied: 'histories with a payment called confirmed that nobody made',
  stuck: 'histories with something that never ended',
};

const OPEN = ['needs_review', 'unknown', 'intent', 'unavailable'];

export async function verdictOf(world: SimulatedWorld): Promise<Verdict[]> {
  const { service, meant, machines, lies } = world;
  const verdicts = new Set<Verdict>();
  if (lies.length > 0) verdicts.add('lied');
  const paid = new Map<string, number>();
  for (const { direction, reference, company, status } of service.ledger) {
    if (status === 'failed') continue;
    const name = `${company} ${nameOf(direction, reference)}`;
    paid.set(name, (paid.get(name) ?? 0) + 1);
  }
  for (const [name, count] of paid) if (count > (meant.get(name.slice(2)) ?? 0)) verdicts.add('twice');
  for (const machine of machines) {
    for (const { batch, rows } of await batchesOf(machine)) {
      for (const row of rows) {
        const operation = service.ledger.find(({ id }) => id === row.operation);
        const isReported = ['earlier', 'accepted', 'confirmed'].includes(row.state);
        if (isReported && operation?.status === 'failed') verdicts.add('lost');
        if (OPEN.includes(row.state)) verdicts.add('stuck');
        const isPaid = service.ledger.some(
          (one) =>
            one.status !== 'failed' &&
            nameOf(one.direction, one.reference) === nameOf(batch.direction, row.reference),
        );
        if (row.state === 'planned' && !isPaid) verdicts.add('stuck');
      }
    }
  }
  return [...verdicts];
}
