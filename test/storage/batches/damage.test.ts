import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BatchStore } from '../../../src/storage/batches/batch-store.js';
import type { ClaimedRow } from '../../../src/storage/batches/row.js';
import { openBatchStore } from '../../../src/storage/batches/sqlite-store.js';
import type { Attempt } from '../../../src/contract/attempt.js';
import { DatabaseUnusable } from '../../../src/runtime/database-unusable.js';
import { Failure } from '../../../src/runtime/failure.js';
import { made, reused } from './attempts.js';
import { FACTS, planned, plannedRow } from './given.js';
import { send } from '../../batches/run/lent.js';
import { Seeded } from '../../support/seeded.js';
import { claimedAt } from '../../support/moments.js';
import { IS_SOAK } from '../../support/soak.js';
import { rounds } from '../../support/rounds.js';
import { testFolder } from '../../support/test-folder.js';

const folder = testFolder();

const ROWS = Array.from({ length: 60 }, (_, number) => plannedRow(number, BigInt(1000 + number)));

class Payer {
  readonly paid = new Map<string, string>();
  readonly attempt = ({ key, body }: ClaimedRow): Promise<Attempt> => {
    const text = Buffer.from(body).toString('utf8');
    const known = this.paid.get(key);
    if (known !== undefined && known !== text) return Promise.resolve(reused);
    this.paid.set(key, text);
    return Promise.resolve(made('confirmed', { id: key }));
  };
}

function expectHonest(payer: Payer): void {
  const planned = new Map(ROWS.map((row) => [row.key, row.body]));
  for (const [key, body] of payer.paid) expect(planned.get(key)).toBe(body);
}

async function halfDone(file: string): Promise<void> {
  const store = openBatchStore(file);
  const batch = await planned(store, ROWS);
  const claim = { after: -1, count: 40, states: ['planned'] as const, ...claimedAt(FACTS.createdAtMs) };
  const rows = await store.exchange(batch.id, [], claim);
  const confirmed = { state: 'confirmed', status: 'confirmed', operationAtMs: null } as const;
  const results = [...rows].slice(0, 25).map(({ number, sentAtMs, key }) => ({
    ...{ ...confirmed, number, sentAtMs, operation: key, code: null, detail: null },
  }));
  await store.exchange(batch.id, results, null);
  await store.close();
}

async function goOn(file: string): Promise<{ payer: Payer; ended: 'paid' | 'refused' }> {
  const payer = new Payer();
  let store: BatchStore | null = null;
  try {
    store = openBatchStore(file);
    const batch = await store.find(FACTS.name);
    if (batch !== null) await send(batch, { store, attempt: payer.attempt });
    return { payer, ended: 'paid' };
  } catch (error) {
    expect(error, String(error)).toBeInstanceOf(Failure);
    expect((error as Failure).exitCode).toBe(16);
    return { payer, ended: 'refused' };
  } finally {
    await store?.close();
  }
}

type Spoiling = (bytes: Buffer, random: Seeded) => Buffer;
const flipped: Spoiling = (bytes, random) => {
  for (let flips = 0; flips < 3; flips += 1) {
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
  }
  return bytes;
};
it.each<[string, Spoiling, number, number]>([
  ['bits that flip anywhere in the file', flipped, 400, 10],
  ['a file that ends anywhere', (bytes, random) => bytes.subarray(0, random.below(bytes.length)), 60, -1],
])('survives %s', async (_what, spoil, most, least) => {
  const original = join(folder, 'original.db');
  await halfDone(original);
  const bytes = readFileSync(original);
  rmSync(original);
  const random = new Seeded(7);
  const ends = { paid: 0, refused: 0 };
  for (let round = 0; round < rounds(most); round += 1) {
    const file = join(folder, `spoilt-${most}-${round}.db`);
    writeFileSync(file, spoil(Buffer.from(bytes), random), { mode: 0o600 });
    const { payer, ended } = await goOn(file);
    ends[ended] += 1;
    expectHonest(payer);
  }
  expect(ends.refused).toBeGreaterThan(least);
  expect(ends.paid).toBeGreaterThan(least);
});

describe('a disk that fails', () => {
  const problems = ['full', 'unwritable'] as const;
  it.each(problems)(
    '(%s) at any write ends the run at once; the next pays the rest',
    async (problem) => {
      const many = Array.from({ length: 220 }, (_, number) => plannedRow(number, BigInt(1000 + number)));
      for (let failing = 1; failing <= 200; failing += failing < 20 || IS_SOAK ? 1 : 6) {
        const store = openBatchStore(':memory:');
        const batch = await planned(store, many);
        const payer = new Payer();
        const { attempt } = payer;
        let writes = 0;
        let isBroken = false;
        const broken: Pick<BatchStore, 'exchange' | 'renew' | 'tally'> = {
          ...store,
          tally: (id) => store.tally(id),
          exchange: (id, results, claim) => {
            const one = claim === null ? null : { ...claim, count: 1 };
            writes += 1;
            expect(isBroken, 'nothing is written after a failed write').toBe(false);
            isBroken = writes === failing;
            if (isBroken)
              return Promise.reject(new DatabaseUnusable(problem, { name: 'store' }, 'batches.db'));
            return store.exchange(id, results, one);
          },
        };
        const paidBefore = payer.paid.size;
        await expect(send({ ...batch }, { store: broken, attempt })).rejects.toMatchObject({ exitCode: 16 });
        expect(payer.paid.size - paidBefore).toBeLessThanOrEqual(failing);
        await send(batch, { store, attempt });
        expect(payer.paid.size).toBe(many.length);
        expect((await store.rows(batch.id, -1, 999)).every(({ state }) => state === 'confirmed')).toBe(true);
        await store.close();
      }
    },
    60_000,
  );
});
