import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Batch } from '../../../src/storage/batches/batch-store.js';
import type { ShownRow } from '../../../src/storage/batches/row.js';
import { openBatchStore } from '../../../src/storage/batches/sqlite-store.js';
import type { JournalRequest } from '../../../src/storage/journal/request.js';
import { openJournal } from '../../../src/storage/journal/sqlite-journal.js';
import { systemClock } from '../../../src/runtime/clock.js';
import type { Processes } from '../../../src/runtime/processes.js';
import type { Machine } from './machine.js';

export interface BatchBook {
  readonly batch: Batch;
  readonly rows: readonly ShownRow[];
}

const read = new WeakMap<Machine, { readonly change: number; readonly books: Promise<BatchBook[]> }>();

export function batchesOf(machine: Machine): Promise<BatchBook[]> {
  const known = read.get(machine);
  if (known?.change === machine.changes) return known.books;
  const books = readBatches(machine);
  read.set(machine, { change: machine.changes, books });
  return books;
}

async function readBatches({ state }: Machine): Promise<BatchBook[]> {
  const file = join(state, 'batches.db');
  if (!existsSync(file)) return [];
  const store = openBatchStore(file);
  try {
    const books: BatchBook[] = [];
    for (const batch of await store.list()) books.push({ batch, rows: await store.rows(batch.id, -1, 1000) });
    return books;
  } finally {
    await store.close();
  }
}

const NOBODY_LIVES: Processes = {
  self: () => ({ machine: 'reader', bootId: '', pid: 0, started: '' }),
  isAlive: () => false,
};

export async function requestsOf({ state }: Machine): Promise<JournalRequest[]> {
  const file = join(state, 'requests.db');
  if (!existsSync(file)) return [];
  const journal = openJournal(file, { processes: NOBODY_LIVES, clock: systemClock });
  try {
    return [
      ...(await journal.open()),
      ...(await journal.afterRow(0)).filter(({ state: at }) => at !== 'open'),
    ];
  } finally {
    await journal.close();
  }
}
