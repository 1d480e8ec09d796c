/** The jobs of `svc batches`: what is there, how one stands, going on with it, starting its failed rows anew, and its rows as a list. */
import type { Batch } from '../../bulk/store/batch-store.js';
import { renewRows } from '../../bulk/run/renewal.js';
import { COUNTS, RETRIABLE } from '../../bulk/row-state.js';
import { assertBalanced } from '../../bulk/tally.js';
import { fromMinor } from '../../contract/money.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import type { GlobalFlags, House } from '../base.js';
import { confirmBatch, type Totals } from './confirmation.js';
import { summaryOf } from './end.js';
import { readSendingFlags, type SendingFlags } from './flags.js';
import { withBatch } from './opening.js';
import { requireUnchangedFile } from './refusals.js';
import { requireBodies } from './forgetting.js';
import { confirmAndSend } from './run.js';
import { sendBatch, type BulkJob } from './sending.js';
import { knownBatch, withBatchStore } from './store.js';
import { printerOfAnything } from '../printer.js';

/** What csv shows of a batch, even where there is none. */
const COLUMNS = ['batch', 'rows', ...COUNTS, 'type', 'environment', 'created_at', 'address'] as const;

/** Every batch of this machine, and how it stands. */
export async function listBatches({ ports }: House, flags: GlobalFlags): Promise<void> {
  const printer = await printerOfAnything(ports, flags, 'batches', COLUMNS);
  const batches = await withBatchStore(ports, async (store) => {
    const rows = [];
    for (const batch of await store.list()) {
      // What counts comes first: a narrow terminal shows no more.
      const { batch: name, address, ...head } = headOf(batch);
      rows.push({ batch: name, ...countsOf(batch, await store.tally(batch.id)), ...head, address });
    }
    return rows;
  });
  await printer.answer(Buffer.from(JSON.stringify({ batches })));
}

/** How one batch stands, from the store alone; nothing is sent. @throws Failure `not_found` */
export async function showBatch({ ports }: House, name: string, flags: GlobalFlags): Promise<void> {
  const printer = await printerOfAnything(ports, flags);
  const status = await withBatchStore(ports, async (store) => {
    const batch = await knownBatch(store, name);
    const tally = await store.tally(batch.id);
    assertBalanced(batch, tally);
    const head = { ...headOf(batch), file: batch.file, file_sha256: batch.fileHash, profile: batch.profile };
    return { ...summaryOf(name, batch, tally, flags), ...head };
  });
  await printer.answer(Buffer.from(JSON.stringify(status)));
}

/** Sends again, with the same keys, what was not sent or not answered. @throws Failure, Stopped */
export async function resumeBatch(house: House, name: string, flags: SendingFlags): Promise<void> {
  await withJob(house, name, flags, async (batch, job) => {
    await requireUnchangedFile(batch);
    await confirmAndSend(batch, job);
  });
}

/** Starts rows anew that failed or were rejected, once that is confirmed. @throws Failure, Stopped */
export async function retryBatch(house: House, name: string, flags: SendingFlags): Promise<void> {
  await withJob(house, name, flags, async (batch, job) => {
    const { store, session, sending } = job;
    const tally = (await store.tally(batch.id)).filter(({ state }) =>
      (RETRIABLE as readonly string[]).includes(state),
    );
    await requireBodies(batch, store, RETRIABLE);
    if (tally.length === 0)
      throw new Failure('usage', `Batch ${name} has no failed or rejected row. Nothing was sent.`);
    const totals: Totals = new Map(
      [...batch.currencies].flatMap(([currency, { decimals }]) => {
        const mine = tally.filter((entry) => entry.currency === currency);
        const minor = mine.reduce((sum, entry) => sum + entry.minor, 0n);
        const rows = mine.reduce((sum, entry) => sum + entry.rows, 0);
        return rows === 0 ? [] : [[currency, { rows, total: fromMinor(minor, decimals) }]];
      }),
    );
    await confirmBatch(batch, totals, {
      ports: house.ports,
      flags,
      session,
      store,
      confirmed: sending.confirmed,
    });
    const renewed = await renewRows(batch, store);
    await session.note(`Batch ${name}: ${renewed} rows start anew.`);
    await sendBatch(batch, job);
  });
}

async function withJob(
  house: House,
  name: string,
  flags: SendingFlags,
  work: (batch: Batch, job: BulkJob) => Promise<void>,
): Promise<void> {
  const sending = readSendingFlags(flags);
  const printer = await printerOfAnything(house.ports, flags);
  await withBatch(house, name, flags, sending.concurrency, ({ batch, store, session }) =>
    work(batch, { house, flags, sending, session, store, printer }),
  );
}

function headOf(batch: Batch) {
  const { name, direction, environment, address, createdAtMs } = batch;
  return { batch: name, type: direction, environment, address, created_at: isoSeconds(createdAtMs) };
}

function countsOf(batch: Batch, tally: Parameters<typeof summaryOf>[2]) {
  const {
    rows,
    confirmed,
    pending,
    failed,
    rejected,
    unknown,
    not_sent: notSent,
  } = summaryOf(batch.name, batch, tally, {});
  return { rows, confirmed, pending, failed, rejected, unknown, not_sent: notSent };
}
