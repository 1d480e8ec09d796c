/** `--plan` of a single create: a plan of one row, which is approved and sent like a batch of one row. */
import { basename, extname } from 'node:path';
import { createHash } from 'node:crypto';
import { makeBatch } from '../../bulk/plan/batch-plan.js';
import type { FileRows, RowFile } from '../../bulk/file/row-file.js';
import { isBatchName } from '../../contract/notation.js';
import type { Direction } from '../../contract/operation.js';
import { Failure } from '../../runtime/failure.js';
import type { PlanFlags } from '../guard/plan-flags.js';
import type { BuiltBody } from '../line/body.js';
import type { GlobalFlags } from '../command.js';
import { printerOfAnything } from '../printing/printer.js';
import type { SessionRun } from '../session/session.js';
import { storesOf } from '../stores/stores-of-run.js';
import { fetchCatalogNow } from './catalog.js';
import { clearanceWorld, waysOfAny } from './job.js';
import { openKnowledge } from './knowledge.js';
import { makePlan } from './plan-making.js';
import { factsOf } from './run.js';

/** The payment as it was checked. */
export interface SinglePayment {
  readonly body: BuiltBody;
  readonly direction: Direction;
  /** Payments from before are others; null where all count. */
  readonly sinceMs: number | null;
}

/** As messages call what is no file. */
const NAME = 'The payout';

/** @throws Failure as `makePlan` and a batch of that row; `usage` for a plan whose name no batch may have */
export async function makeSinglePlan(
  { body, direction, sinceMs }: SinglePayment,
  path: string,
  run: SessionRun<GlobalFlags & PlanFlags>,
): Promise<void> {
  const { ports, flags } = run;
  const name = batchNameOf(path);
  if (typeof body.members['reference'] !== 'string')
    throw new Failure(
      'usage',
      'A plan names each payment by its reference: add --reference. Nothing was sent.',
    );
  const printer = await printerOfAnything(ports, flags);
  const known = await openKnowledge(run, { concurrency: 1, ratePerSecond: null });
  try {
    await storesOf(run).withShownPlan(async (store, shownName) => {
      const job = { ...run, known, store, printer };
      const { catalog, supportsBank } = await fetchCatalogNow(run);
      const facts = { ...factsOf(job), name: shownName, direction, sinceMs, file: NAME };
      const { batch } = await makeBatch(
        {
          ...{
            facts,
            file: oneRow(body),
            shared: {},
            allowsDuplicates: true,
            skipsPaid: false,
            isKept: false,
          },
          ways: { ...waysOfAny(run), again: () => null, takesSince: false, reset: null },
          signal: ports.signal,
          // A plan file is judged where it is applied.
          admit: () => Promise.resolve(),
        },
        { ...clearanceWorld(job), catalog, supportsBank },
      );
      await makePlan(batch, { name, path, file: NAME }, job);
      await store.discard(batch.id);
    });
  } finally {
    await known.close();
  }
}

/** The batch is called as the plan's file, without its ending. @throws Failure `usage` */
function batchNameOf(path: string): string {
  const name = basename(path, extname(path)).normalize('NFC').trim();
  if (isBatchName(name)) return name;
  throw new Failure(
    'usage',
    'The plan is called as its file: 1 to 100 letters, digits or ._@+:- characters, and .plan. Nothing was sent.',
  );
}

function oneRow({ bytes, members }: BuiltBody): RowFile {
  const text = Buffer.from(bytes).toString('utf8');
  const rows = async function* (): FileRows {
    yield await Promise.resolve({ line: 1, body: members, text });
  };
  return {
    reading: null,
    rows,
    hash: () => createHash('sha256').update(bytes).digest('hex'),
    requireUnchanged: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
