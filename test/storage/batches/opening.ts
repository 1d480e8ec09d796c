import { renewRows } from '../../../src/batches/check/clearance.js';
import type { RowState } from '../../../src/storage/batches/row-state.js';
import type { Batch, BatchStore } from '../../../src/storage/batches/batch-store.js';
import type { StatePlace } from '../../../src/storage/postgres/place.js';
import { openPostgresStore, type PostgresStoreOptions } from '../../../src/storage/batches/postgres/store.js';
import { systemClock, type Ticker, systemTicker, systemRandom } from '../../../src/runtime/clock.js';
import { stateKeyOf } from '../../../src/storage/postgres/key.js';
import { fakeClock } from '../../support/fake-clock.js';
import { FACTS, NOTHING_KNOWN } from './given.js';

export const KEY = stateKeyOf(Buffer.alloc(32, 7), systemRandom);
export const OTHER_KEY = stateKeyOf(Buffer.alloc(32, 8), systemRandom);

let tokens = 0;
export const NEVER: Ticker = () => () => undefined;

export function openPostgres(
  place: StatePlace,
  options: Partial<PostgresStoreOptions> = {},
): Promise<BatchStore> {
  return openPostgresStore({
    ...{ place, clock: systemClock, ticker: systemTicker, ages: 'both' },
    ...{ name: 'pod', program: '0.1.0', leaseMs: 60_000, marginMs: 1000, patienceMs: 20_000 },
    say: () => undefined,
    confirmer: 'operator@laptop',
    key: null,
    newToken: () => `${String(process.pid)}-${String((tokens += 1))}`,
    ...options,
  });
}

export const renewed = (batch: Batch, store: BatchStore) =>
  renewRows(batch, { store, knowledge: NOTHING_KNOWN, clock: fakeClock(FACTS.createdAtMs) });

export const statesOf = async (store: BatchStore, { id }: Pick<Batch, 'id'>): Promise<RowState[]> =>
  (await store.rows(id, -1, 99_999)).map(({ state }) => state);

export const failing = (exitCode: number, code: string) => ({ exitCode, facts: { code } });
