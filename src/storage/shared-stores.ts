import { CALL_PATIENCE, RETRY_AFTER_MAX_MS } from '../contract/retry.js';
import type { SharedCheckpointOptions } from './checkpoints/postgres.js';
import type { SharedRows } from './batches/postgres/rows-by-reference.js';
import { mayOnlyRead } from './postgres/failures.js';
import type { SharedState } from './postgres/place.js';
import { toDisposable, openTogether } from '../runtime/disposal.js';
import { timeoutOf } from '../runtime/typed-time.js';
import { fileStores, tidyStore } from './file-stores.js';
import type { Stores } from './stores.js';
import type { Clock, Ticker } from '../runtime/clock.js';
import type { Ports } from '../runtime/ports.js';
import type { StateKey } from './postgres/key.js';

const REQUEST_MARGIN_MS = 5000;
const LEASE_MIN_MS = 60_000;
const CHECKPOINT_LEASE_MS = 60_000;

export interface MachineOptions {
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly ages: 'both';
  readonly program: string;
  readonly name: string;
  readonly patienceMs: number;
  readonly say: (text: string) => void;
  readonly newToken: () => string;
  readonly confirmer: string;
  readonly key: StateKey | null;
}

interface SharedRun {
  readonly ports: Ports;
  readonly flags: { readonly timeout?: string | undefined; readonly quiet?: boolean };
  readonly machine: () => MachineOptions;
  readonly noteUnsealed: () => Promise<void>;
}

export function sharedStores({ place, address }: SharedState, run: SharedRun): Stores {
  const { ports, flags, machine, noteUnsealed } = run;
  let machineOptions: MachineOptions | null = null;
  const options = () => ({ place, ...(machineOptions ??= machine()) });
  const checkpoints = (): SharedCheckpointOptions => ({ ...options(), leaseMs: CHECKPOINT_LEASE_MS });

  const openBatches = async () => {
    await noteUnsealed();
    const { openPostgresStore } = await import('./batches/postgres/store.js');
    const quietOptions = flags.quiet ? { say: () => undefined } : {};
    const storeOptions = options();
    const marginMs = timeoutOf(flags) + REQUEST_MARGIN_MS;
    const leaseMs = Math.max(LEASE_MIN_MS, 2 * marginMs);
    const store = await openPostgresStore({ ...storeOptions, ...quietOptions, marginMs, leaseMs });
    return toDisposable(await tidyStore(store, ports, mayOnlyRead));
  };
  const withRows = async <T>(work: (rows: SharedRows) => Promise<T>): Promise<T> => {
    const { openSharedRows } = await import('./batches/postgres/rows-by-reference.js');
    await using rows = toDisposable(await openSharedRows(options()));
    return await work(rows);
  };
  return {
    where: { isShared: true, text: `in ${address}`, address },
    has: () => true,
    openBatches,
    openJournal: async () => {
      await noteUnsealed();
      const { openPostgresJournal } = await import('./journal/postgres/journal.js');
      const answerMs = CALL_PATIENCE.attemptsMax * (timeoutOf(flags) + RETRY_AFTER_MAX_MS);
      return toDisposable(await openPostgresJournal({ ...options(), answerMs }));
    },
    openMirrors: async () => {
      const { openPostgresMirrors } = await import('./mirror/postgres/mirrors.js');
      return toDisposable(await openPostgresMirrors(options(), ports.random));
    },
    lockBatch: (name, mode) =>
      openTogether(async (use) => {
        const store = use(await openBatches());
        const batch = mode === 'alone' ? await store.find(name) : null;
        if (batch !== null) await store.join(batch.id, 'alone');
        return store;
      }),
    openShownPlan: async () => {
      const { openSharedRows, previewStore } = await import('./batches/postgres/rows-by-reference.js');
      return openTogether(async (use) => {
        const sharedRows = use(toDisposable(await openSharedRows(options())));
        const { store, name } = use(await fileStores(ports).openShownPlan());
        return { store: previewStore(store, sharedRows), name };
      });
    },
    isAtWork: async (name) => {
      await using store = await openBatches();
      const batch = await store.find(name);
      return batch !== null && (await store.workers(batch.id)).some(({ state }) => state === 'at_work');
    },
    hasChangedServer: async (name) => {
      await using store = await openBatches();
      const batch = await store.find(name);
      return batch !== null && (await store.findChangedServer(batch.id)) !== null;
    },
    rowsOfReference: (filter, mark) => withRows((rows) => rows.withReferences(filter, [mark])),
    holders: (operations) => withRows((rows) => rows.holders(operations)),
    lockCheckpoint: async (namedCheckpoint) => {
      const { lockSharedCheckpoint } = await import('./checkpoints/postgres.js');
      return lockSharedCheckpoint(namedCheckpoint, checkpoints());
    },
    dropCheckpoints: async (isGone) => {
      const { dropSharedCheckpoints } = await import('./checkpoints/postgres.js');
      return dropSharedCheckpoints(checkpoints(), isGone);
    },
  };
}
