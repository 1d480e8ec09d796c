/** The service's side of a reconciliation: every operation that is known here, brought up to date first unless nothing may be asked. */
import { ofFeed, type FoundOperation } from '../../cli/feed/found-operation.js';
import { withKnownOperations, type KnownOperations } from '../../cli/feed/known-operations.js';
import { whereFlags } from '../../cli/line/where.js';
import type { SessionRun } from '../../cli/session/session.js';
import { momentText } from '../../contract/notation.js';
import { svcLine } from '../../runtime/shell.js';
import type { ComparedOperation } from '../../reconcile/line.js';
import type { Zone } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { directionIn, type ReconcileFlags, zoneOf } from './flags.js';

export interface ServiceSide {
  /** The latest time in anything that is known; null where nothing is. */
  readonly knownUntilMs: number | null;
  /** Once. */
  blocks(): AsyncIterable<readonly ComparedOperation[]>;
  /** How many operations are of another direction than was asked for. */
  leftOut(): number;
}

/** @throws Failure by the table of exit codes, `local_state` where nothing may be asked and nothing is known; Stopped; what the steps throw */
export function withServiceSide<T>(
  run: SessionRun<ReconcileFlags>,
  steps: (side: ServiceSide) => Promise<T>,
): Promise<T> {
  const { flags, session } = run;
  return withKnownOperations(run, flags.offline, async (known) => {
    if (known.mirror === null) throw nothingKnown(run);
    const side = sideOf(known, await known.mirror.heardAtMs(), run);
    if (flags.offline) await session.note(knownText(side));
    return steps(side);
  });
}

function sideOf(
  known: KnownOperations,
  knownUntilMs: number | null,
  run: SessionRun<ReconcileFlags>,
): ServiceSide {
  const direction = directionIn(run.flags);
  const zone = zoneOf(run);
  let leftOut = 0;
  const compared = (block: readonly FoundOperation[]): ComparedOperation[] => {
    const own = block.filter((one) => direction === null || one.direction === direction);
    leftOut += block.length - own.length;
    return own.map((one) => comparedOf(one, zone));
  };
  return {
    knownUntilMs,
    leftOut: () => leftOut,
    blocks: async function* () {
      for await (const block of known.mirror?.blocks() ?? []) yield compared(block.map(ofFeed));
      for await (const block of known.beside()) yield compared(block);
      const count = known.unread;
      if (count > 0)
        await run.session.note(
          `${String(count)} pending operations are shown as last seen: svc does not ask for so many.`,
        );
    },
  };
}

function knownText({ knownUntilMs }: ServiceSide): string {
  const until =
    knownUntilMs === null ? 'It knows no events' : `It knows events up to ${momentText(knownUntilMs)}`;
  return `svc did not ask the service. ${until}.`;
}

function nothingKnown({ flags }: SessionRun<ReconcileFlags>): Failure {
  const nextCommand = svcLine('events sync', whereFlags(flags));
  return new Failure(
    'local_state',
    'This machine knows no events of this key, and --offline asks for none. Nothing was reconciled.',
    { nextCommand },
  );
}

const MINUTE_MS = 60_000;

/** @param zone whose day it is: that of the ledger */
function comparedOf(found: FoundOperation, zone: Zone): ComparedOperation {
  const { id, direction, status, reference, bankReference, currency, amount } = found;
  const atMs = found.confirmedAtMs ?? found.occurredAtMs ?? found.createdAtMs;
  const date =
    atMs === null ? null : new Date(atMs + zone.offsetMinutes(atMs) * MINUTE_MS).toISOString().slice(0, 10);
  return { id, direction, status, reference, bankReference, currency, amount, date };
}
