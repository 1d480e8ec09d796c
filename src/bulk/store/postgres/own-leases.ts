/** The leases of this process, one a batch at the most: whoever is at work on a batch already goes on with the lease that it has. */
import type { JoinMode, JoinTerms } from '../worker.js';
import { FREE, joinBatch } from './joining.js';
import type { Lease } from './lease.js';
import type { LeaseWorld } from './worker-world.js';

export interface OwnLeases {
  /** One that is over counts: whoever runs it has to stop first. */
  of(batch: number): Lease | null;
  all(): Lease[];
  /** One that came with its plan. */
  begun(lease: Lease): void;
  join(batch: number, mode: JoinMode, terms?: JoinTerms): Promise<Lease>;
  end(batch: number): Promise<void>;
}

/** @param newToken another one each time */
export function ownLeases(world: LeaseWorld, newToken: () => string): OwnLeases {
  const leases = new Map<number, Lease>();
  const alone = new Set<Lease>();
  return {
    of: (batch) => leases.get(batch) ?? null,
    all: () => [...leases.values()],
    begun: (lease) => void leases.set(lease.batch, lease),
    join: async (batch, mode, terms = FREE) => {
      const there = leases.get(batch);
      if (there !== undefined && !there.isGone) {
        // Whoever is alone may send as well, and says how fast.
        if (mode === 'send' && alone.has(there)) await there.limit(terms.ratePerSecond);
        return there;
      }
      const lease = await joinBatch(batch, { ...terms, mode, token: newToken() }, world);
      if (mode === 'alone') alone.add(lease);
      leases.set(batch, lease);
      return lease;
    },
    end: async (batch) => {
      await leases.get(batch)?.end();
      leases.delete(batch);
    },
  };
}
