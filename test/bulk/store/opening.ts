/** Opens the store in PostgreSQL as one machine of several, with a lease as short as a test is patient. */
import type { BatchStore } from '../../../src/bulk/store/batch-store.js';
import type { StatePlace } from '../../../src/state/place.js';
import {
  openPostgresStore,
  type PostgresStoreOptions,
} from '../../../src/bulk/store/postgres/postgres-store.js';
import { systemClock, type Ticker, systemTicker } from '../../../src/runtime/clock.js';

let tokens = 0;
/** A machine that is frozen, or cut off, is not heard of. */
export const NEVER: Ticker = () => () => undefined;

export function openPostgres(
  place: StatePlace,
  options: Partial<PostgresStoreOptions> = {},
): Promise<BatchStore> {
  return openPostgresStore({
    ...{ place, clock: systemClock, ticker: systemTicker, ages: 'both' },
    ...{ name: 'pod', program: '0.1.0', leaseMs: 60_000, marginMs: 1000, patienceMs: 20_000 },
    say: () => undefined,
    newToken: () => `${String(process.pid)}-${String((tokens += 1))}`,
    ...options,
  });
}
