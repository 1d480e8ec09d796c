/** Plans the file of a batch for a command: opened, its reading confirmed, checked against the catalog, and kept where that is asked for. */
import type { Clearance } from '../../bulk/check/clearance.js';
import type { RowReading } from '../../bulk/file/row-file.js';
import { mapText } from '../../bulk/file/reading-words.js';
import { ROW_SHELF } from '../../bulk/file/saved-rows.js';
import type { Batch, BatchFacts } from '../../bulk/store/batch.js';
import { keepMap, requireMapName, withSavedMap } from '../../sheet/saved-maps.js';
import { saidOfAllRows } from '../line/body-flags.js';
import { formOptions } from '../line/form-flags.js';
import { requirePast } from '../line/since.js';
import type { SessionRun } from '../session/session.js';
import { fetchCatalogNow } from './catalog.js';
import type { BulkFlags } from './flags.js';
import { clearanceWorld, waysOn, type BulkJob } from './job.js';
import { confirmReading } from './reading.js';

/** A job that begins with a file. */
export type PlanJob = BulkJob & SessionRun<BulkFlags>;

/**
 * The batch of a file, in the store; where anything stands in its way the store is as before.
 * @param isKept false for what is only shown
 * @throws Failure by the table of exit codes; Stopped
 */
export async function planFile(
  facts: BatchFacts,
  job: PlanJob,
  isKept: boolean,
): Promise<{ batch: Batch; clearance: Clearance }> {
  const { session, ports, flags } = job;
  const [{ makeBatch }, { openRowFile }] = await Promise.all([
    import('../../bulk/plan/batch-plan.js'),
    import('../../bulk/file/opening.js'),
  ]);
  const { catalog, supportsBank } = await fetchCatalogNow(job);
  requirePast(facts.sinceMs, session.clock.now());
  const { country, currency } = session.defaults;
  const shared = {
    ...saidOfAllRows(facts.direction, flags),
    country: flags.country ?? country,
    currency: flags.currency ?? currency,
  };
  const world = { ...clearanceWorld(job), catalog, supportsBank };
  const options = withSavedMap(ports.paths, ROW_SHELF, formOptions(flags));
  const saveAs = flags['save-map'];
  if (saveAs !== undefined) requireMapName(ROW_SHELF, saveAs);
  const file = await openRowFile(facts.file, options, facts.direction, catalog);
  try {
    const { reading } = file;
    if (reading !== null)
      await confirmReading(reading, facts.file, job, { facts, shared, catalog, supportsBank });
    const made = await makeBatch(
      {
        ...{ facts, file, shared, isKept, signal: ports.signal, ways: waysOn(job, true) },
        allowsDuplicates: flags['allow-duplicates'],
        skipsPaid: flags['skip-paid'],
      },
      world,
    );
    if (isKept)
      await session.note(
        `Batch ${facts.name}: ${made.batch.rows === 1 ? '1 row is' : `${made.batch.rows} rows are`} valid.`,
      );
    if (saveAs !== undefined) await keepReading(saveAs, reading, job);
    return made;
  } finally {
    await file.close();
  }
}

async function keepReading(
  name: string,
  reading: RowReading | null,
  { ports, session }: PlanJob,
): Promise<void> {
  if (reading === null) {
    await session.note('--save-map saved nothing: this file needs no map.');
    return;
  }
  const path = keepMap(ports.paths, ROW_SHELF, name, { map: mapText(reading), ...reading });
  await session.note(`Saved as map ${name} (${path}). Next time: --map ${name}`);
}
