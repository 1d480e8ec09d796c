import { expect, it } from 'vitest';
import type { EventBatch } from '../../../../src/events/into/batch.js';
import { RENEW_LEASE } from '../../../../src/events/into/postgres/statements.js';
import { tableFailure, writerOver } from '../../../../src/events/into/postgres/postgres-table.js';
import { TableAway } from '../../../../src/events/into/table.js';
import type { Connection } from '../../../../src/storage/postgres/connection.js';
import { notReplicatedFailure } from '../../../../src/storage/postgres/failures.js';

const HELD = { token: 'token', leaseMs: 60_000, sequence: 1 };
const BATCH = { lastNumber: 1, newestOperation: null, events: [], operations: [] } as unknown as EventBatch;

function database() {
  let answer: (value: unknown) => void = () => undefined;
  const connection = {
    runOnce: (text: string) =>
      text === RENEW_LEASE
        ? Promise.resolve({ rows: [{ sequence: 2 }], count: 1 })
        : new Promise((resolve) => (answer = resolve)),
  } as unknown as Connection;
  return {
    writer: writerOver(connection, HELD),
    answer: () => answer({ rows: [{ sequence: 2 }], count: 1 }),
  };
}

it('is not lost to the own batch that was committed meanwhile', async () => {
  const { writer, answer } = database();
  const written = writer.write(BATCH, { cursor: 'c' } as never);
  await expect(writer.renew()).resolves.toBeUndefined();
  answer();
  await written;
  await expect(writer.renew()).resolves.toBeUndefined();
});

it('is lost where tables stand elsewhere though nothing was written here', async () => {
  await expect(database().writer.renew()).rejects.toThrow(TableAway);
});

it('is not lost to a batch that was written while the answer was on its way', async () => {
  let answer: (sequence: number) => void = () => undefined;
  const runOnce = (text: string) =>
    text === RENEW_LEASE
      ? new Promise((resolve) => (answer = (sequence) => resolve({ rows: [{ sequence }], count: 1 })))
      : Promise.resolve({ rows: [{ sequence: 2 }], count: 1 });
  const writer = writerOver({ runOnce } as unknown as Connection, HELD);
  const renewed = writer.renew();
  await writer.write(BATCH, { cursor: 'c' } as never);
  answer(1);
  await expect(renewed).resolves.toBeUndefined();
});

it('is asked for anew after a commit that no standby has seen', () => {
  expect(tableFailure(notReplicatedFailure(), true)).toBeInstanceOf(TableAway);
});

const WAITED =
  '57014 53000 53100 53200 53300 53400 55P03 25P03 57P01 57P02 57P03 57P05 58030 08006 25006 40001 40P01';
const FINAL = '57P04 42501 42P01 22021 23514 28P01 3D000 58P01 XX000';
const SAID: Readonly<Record<string, RegExp>> = {
  ...{ 57014: /refused a statement \(57014: server text\)/, 53100: /cannot grow: its disk is full/ },
  ...{ '57P01': /cannot be reached/, '57P04': /was dropped/, 42501: /rights/, '3D000': /does not exist/ },
};

it.each([
  ...WAITED.split(' ').map((code) => [code, true] as const),
  ...FINAL.split(' ').map((code) => [code, false] as const),
])('%s is waited for: %s', (code, passes) => {
  const failure = tableFailure(Object.assign(new Error('server text'), { code }), false);
  expect(failure instanceof TableAway).toBe(passes);
  expect(failure.message).toMatch(SAID[code] ?? /./);
});
