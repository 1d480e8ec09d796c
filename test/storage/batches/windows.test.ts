import { expect, it } from 'vitest';
import { rowsInWindows } from '../../../src/storage/batches/postgres/store.js';
import type { Window } from '../../../src/storage/batches/reads.js';
import type { Connection } from '../../../src/storage/postgres/connection.js';

async function read(numbers: readonly number[], after: number, count: number) {
  const windows: Window[] = [];
  const last = numbers.at(-1) ?? null;
  const connection = { run: () => Promise.resolve({ rows: [{ last }], count: 1 }) } as unknown as Connection;
  const found = await rowsInWindows(connection, 1, { after, count }, (window) => {
    windows.push(window);
    const inside = numbers.filter((number) => number > window.after && number <= window.upTo);
    return Promise.resolve(inside.slice(0, window.count));
  });
  return { found, widths: windows.map((window) => window.upTo - window.after) };
}

const dense = Array.from({ length: 5000 }, (_, number) => number);

it('reads one window where the rows stand side by side', async () => {
  expect(await read(dense, 999, 100)).toEqual({ found: dense.slice(1000, 1100), widths: [100] });
});

it('widens the window where they are few, and ends behind the last row', async () => {
  const sparse = [...dense.filter((number) => number % 50 === 0), 4999];
  const { found, widths } = await read(sparse, -1, 20);
  expect(found).toEqual(sparse.slice(0, 20));
  expect(widths).toEqual([20, 40, 80, 160, 320, 640]);
  expect((await read(sparse, 3000, 1000)).found).toEqual(sparse.filter((number) => number > 3000));
});

it('ends at once where nothing is there', async () => {
  expect(await read([], -1, 100)).toEqual({ found: [], widths: [100] });
});
