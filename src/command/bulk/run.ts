/** Runs a batch for a command: plans a file or takes up what is there, confirms, sends, follows, and says how it ended. */
import { basename, extname, resolve } from 'node:path';
import type { Batch, BatchFacts, BatchStore } from '../../bulk/store/batch-store.js';
import { SENDABLE } from '../../bulk/row-state.js';
import type { Direction } from '../../contract/methods.js';
import { Failure } from '../../runtime/failure.js';
import { collectOften, streamInLittleMemory } from '../../runtime/memory.js';
import type { Ports } from '../../runtime/ports.js';
import { placeOf, maskOfKey } from '../session/address.js';
import type { House } from '../base.js';
import { fetchCatalogNow } from './catalog.js';
import { confirmBatch, totalsOf } from './confirmation.js';
import { refuseEarlier } from './earlier.js';
import { summaryOf } from './end.js';
import { readSendingFlags, type BulkFlags } from './flags.js';
import { finished, requireSame, requireSameFile } from './refusals.js';
import { sendBatch, type BulkJob } from './sending.js';
import { withLockedBatch } from './store.js';
import { printerOfAnything } from '../printer.js';
import { openSession, type Session } from '../session/session.js';

/** A name that no person can give: plans that are only shown. */
const DRY_RUN = ' dry run';

/**
 * Sends every row of a file as an operation of its own.
 * @throws Failure by the table of exit codes, Stopped
 */
export async function runFile(
  house: House,
  direction: Direction,
  path: string,
  flags: BulkFlags,
): Promise<void> {
  const { ports } = house;
  const sending = readSendingFlags(flags);
  const printer = await printerOfAnything(ports, flags);
  const session = await openSession(ports, flags, sending.concurrency);
  try {
    const name = nameOf(flags.batch, path, session);
    const facts = { ...factsOf(session, ports), name, direction, file: resolve(path) };
    if (flags['dry-run']) {
      await withLockedBatch(ports, DRY_RUN, async (store) => {
        const batch = await plan(store, { ...facts, name: DRY_RUN }, session, house, flags, false);
        const summary = summaryOf(name, batch, await store.tally(batch.id), flags);
        await store.discard(batch.id);
        await printer.answer(
          Buffer.from(JSON.stringify({ ...summary, resume_command: null, dry_run: true })),
        );
      });
      return;
    }
    await withLockedBatch(ports, name, async (store) => {
      const known = await store.find(name);
      const job: BulkJob = { house, flags, sending, session, store, printer };
      if (known === null) {
        const batch = await plan(store, facts, session, house, flags, true);
        await confirmAndSend(batch, job, flags['allow-repeat']);
      } else {
        requireSame(known, facts);
        await requireSameFile(known, facts.file);
        const [left] = await store.rows(known.id, -1, 1, SENDABLE);
        if (left === undefined) throw finished(known, flags);
        await session.note(`Batch ${name} is there already: it goes on where it stands.`);
        await confirmAndSend(known, job, flags['allow-repeat']);
      }
    });
  } finally {
    await session.close();
  }
}

/** Confirms a batch unless that was done, and sends what can be sent. @param allowsRepeats whatever an earlier run has paid. @throws Failure, Stopped */
export async function confirmAndSend(batch: Batch, job: BulkJob, allowsRepeats = false): Promise<void> {
  const { store, house, session, sending, flags } = job;
  if (batch.confirmedAtMs === null) await refuseEarlier(batch, job, allowsRepeats);
  if (batch.confirmedAtMs === null || sending.confirmed.size > 0) {
    const confirming = { ports: house.ports, flags, session, store, confirmed: sending.confirmed };
    await confirmBatch(batch, totalsOf(batch), confirming);
    await store.confirm(batch.id, house.ports.clock.now());
  }
  await sendBatch(batch, job);
}

async function plan(
  store: BatchStore,
  facts: BatchFacts,
  session: Session,
  house: House,
  flags: BulkFlags,
  isKept: boolean,
): Promise<Batch> {
  streamInLittleMemory();
  collectOften();
  const { planBatch } = await import('../../bulk/plan/planner.js');
  const { catalog, supportsBank } = await fetchCatalogNow(session, house, flags);
  const { country, currency } = session.defaults;
  const shared = {
    country: flags.country ?? country,
    currency: flags.currency ?? currency,
    method: flags.method,
    purpose: flags.purpose,
  };
  const { id, totals } = await planBatch(
    {
      facts,
      shared,
      allowsDuplicates: flags['allow-duplicates'],
      allowsRepeats: flags['allow-repeat'],
      isKept,
      signal: house.ports.signal,
    },
    { store, catalog, supportsBank },
  );
  if (isKept) await session.note(`Batch ${facts.name}: ${totals.rows} rows are valid.`);
  return { ...facts, ...totals, id, confirmedAtMs: null };
}

function factsOf(session: Session, { clock }: Ports): Omit<BatchFacts, 'name' | 'direction' | 'file'> {
  const { address, environment } = placeOf(session);
  return {
    environment,
    address,
    origin: address === 'embedded' ? address : new URL(address).origin,
    profile: session.target.kind === 'service' ? session.target.profile : null,
    keyMask: maskOfKey(session.key),
    createdAtMs: clock.now(),
  };
}

/** @throws Failure `usage`: live, a batch has a name that somebody chose, because keys are derived from it */
function nameOf(given: string | undefined, path: string, { environment }: Session): string {
  if (given === undefined && environment === 'live') {
    throw new Failure(
      'usage',
      'Live, a batch needs a name: --batch NAME. Its keys are derived from it. Nothing was sent.',
    );
  }
  const name = given ?? basename(path, extname(path));
  if (/^[\p{L}\p{N}][\p{L}\p{N} ._@+:-]{0,99}$/u.test(name) && name === name.normalize('NFC').trim())
    return name;
  throw new Failure(
    'usage',
    'The name of a batch is 1 to 100 letters, digits and ._@+:- . Nothing was sent.',
  );
}
