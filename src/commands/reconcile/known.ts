/** The service's side of a reconciliation: every operation that is known here, brought up to date first unless nothing may be asked. */
import { openMirror } from '../../cli/feed/mirror.js';
import { reportReading } from '../../cli/feed/reading-progress.js';
import type { SessionRun } from '../../cli/session/session.js';
import { whereFlags } from '../../cli/line/where.js';
import { senderOf } from '../../cli/session/address.js';
import { openAllMirrors } from '../../cli/stores/books.js';
import { momentText } from '../../contract/notation.js';
import { svcLine } from '../../contract/shell.js';
import type { KnownOperation, Mirror } from '../../mirror/mirror.js';
import { Failure } from '../../runtime/failure.js';
import type { ComparedOperation } from '../../reconcile/line.js';
import type { Zone } from '../../runtime/clock.js';
import { zoneOf } from './facts.js';
import { directionIn, type ReconcileFlags } from './flags.js';

export interface ServiceSide {
  /** The latest time in anything that is known; null where nothing is. */
  readonly knownUntilMs: number | null;
  /** Once. */
  blocks(): AsyncIterable<readonly ComparedOperation[]>;
  /** How many operations are of another direction than was asked for. */
  leftOut(): number;
}

/** @throws Failure by the table of exit codes, `local_state` where nothing may be asked and nothing is known; Stopped; what the steps throw */
export async function withServiceSide<T>(
  run: SessionRun<ReconcileFlags>,
  steps: (side: ServiceSide) => Promise<T>,
): Promise<T> {
  if (!run.flags.offline) await bringUpToDate(run);
  const mirrors = await openAllMirrors(run);
  try {
    const company = await mirrors.companyOf(await senderOf(run.session, run.ports, mirrors.keySalt));
    if (company === null) throw nothingKnown(run);
    const side = await sideOf(mirrors.of(company), run);
    if (run.flags.offline) await run.session.note(knownText(side));
    return await steps(side);
  } finally {
    await mirrors.close();
  }
}

async function bringUpToDate(run: SessionRun<ReconcileFlags>): Promise<void> {
  const open = await openMirror(run);
  try {
    const progress = reportReading(run.ports, run.flags);
    await open.sync(progress.onPage).finally(() => progress.end());
  } finally {
    await open.close();
  }
}

async function sideOf(mirror: Mirror, run: SessionRun<ReconcileFlags>): Promise<ServiceSide> {
  const direction = directionIn(run.flags);
  const zone = zoneOf(run);
  let leftOut = 0;
  return {
    knownUntilMs: await mirror.heardAtMs(),
    leftOut: () => leftOut,
    blocks: async function* () {
      for await (const block of mirror.blocks()) {
        const own = block.filter((known) => direction === null || known.direction === direction);
        leftOut += block.length - own.length;
        yield own.map((known) => comparedOf(known, zone));
      }
    },
  };
}

function knownText({ knownUntilMs }: ServiceSide): string {
  const until =
    knownUntilMs === null ? 'no event is known' : `events are known up to ${momentText(knownUntilMs)}`;
  return `The service was not asked: ${until}.`;
}

function nothingKnown({ flags }: SessionRun<ReconcileFlags>): Failure {
  const nextCommand = svcLine('events sync', whereFlags(flags));
  return new Failure(
    'local_state',
    'This machine knows no events of this key, and nothing may be asked. Nothing was reconciled.',
    { nextCommand },
  );
}

const MINUTE_MS = 60_000;

/** @param zone whose day it is: that of whoever keeps the ledger */
function comparedOf(known: KnownOperation, zone: Zone): ComparedOperation {
  const { id, direction, status, bankReference } = known;
  const { reference = null, currency = null, amount = null } = known;
  const atMs = known.confirmedAtMs ?? known.occurredAtMs;
  const date = new Date(atMs + zone.offsetMinutes(atMs) * MINUTE_MS).toISOString().slice(0, 10);
  return { id, direction, status, reference, bankReference, currency, amount, date };
}
