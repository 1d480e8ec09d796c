/** One row: what is asked before each of its sendings, and sending it until something settles it. */
import { isLimited, type Attempt } from '../../contract/attempt.js';
import { mayLeaveAgain } from '../../contract/moment.js';
import { attemptsOf, ROW_PATIENCE } from '../../contract/retry.js';
import type { ClaimedRow, Standing } from '../store/row.js';
import { clocksApart } from './clocks.js';
import { isUncertain } from '../row-state.js';
import type { Collaborators, RowAges } from './engine.js';
import { MISSED_MS, type Gate } from './gate.js';
import { isOpen, judgeRow, TOO_OLD, unsureStanding } from './verdict.js';

const NONE: readonly Attempt[] = [];

/** Sends a row until something settles it or its attempts are spent. */
export async function sendRow(
  row: ClaimedRow,
  gate: Gate,
  world: Collaborators,
): Promise<{ standing: Standing; last: Attempt | null }> {
  const { attempt, random, ages, worker = null } = world;
  const turn = turnOf(row, gate, world);
  // Looked at before each sending: a machine may have slept between two of them.
  let kept = null as Standing | null;
  const mayLeave = async (attempts: readonly Attempt[]): Promise<boolean> => {
    if (!(await turn())) return false;
    const apart = clocksApart(world);
    if (apart !== null) gate.fail(apart);
    if (gate.isClosed) return false;
    kept = keptBack(row, attempts, ages);
    return kept === null;
  };
  const attempts = !(await mayLeave(NONE))
    ? NONE
    : await attemptsOf({
        retry: 'keyed',
        patience: ROW_PATIENCE,
        fraction: () => random.fraction(),
        attempt: () => attempt(row),
        wait: async (waitMs, last, made) => {
          if (!isLimited(last)) await gate.wait(waitMs);
          else {
            gate.pause(waitMs);
            await worker?.pause(waitMs);
          }
          return mayLeave(made);
        },
      });
  if (kept !== null) return { standing: kept, last: null };
  return { standing: judgeRow(row, attempts), last: attempts.at(-1) ?? null };
}

/** Why an open row does not leave again; null where it does. What left in an earlier run needs an age that is known. */
function keptBack(
  { before, left }: ClaimedRow,
  attempts: readonly Attempt[],
  { ageOf, mayGoOn }: RowAges,
): Standing | null {
  if (!isOpen(before, attempts)) return null;
  if (!isUncertain(before)) return mayGoOn(left) ? null : TOO_OLD;
  const age = ageOf(left);
  if (age.kind !== 'known') return unsureStanding(age);
  return mayLeaveAgain(age) ? null : TOO_OLD;
}

/**
 * Waits for the turn of each sending; false where the run is over. Alone, that is the gate's; among others each sending has a moment that
 * nobody else has, and one that was missed is no one's: there is another one.
 */
function turnOf(
  { leavesAtMs = null }: ClaimedRow,
  gate: Gate,
  { clock, worker = null }: Collaborators,
): () => Promise<boolean> {
  if (worker === null) return () => gate.pass();
  let slotMs = leavesAtMs;
  const hasRate = slotMs !== null;
  return async () => {
    for (;;) {
      if (!(await gate.pass())) return false;
      const leftMs = slotMs === null ? 0 : slotMs - clock.monotonic();
      if (hasRate && (slotMs === null || leftMs < -MISSED_MS)) {
        // Whoever was away has missed every moment, and may have lost its rows: others may send without a rate by now.
        await worker.mayLeave();
        slotMs = await worker.slot();
      }
      // A timer knows no parts of a millisecond.
      else if (leftMs > 0) await gate.wait(Math.ceil(leftMs));
      else {
        await worker.mayLeave();
        if (gate.isClosed) return false;
        if (slotMs !== null && clock.monotonic() - slotMs > MISSED_MS) continue;
        slotMs = null;
        return true;
      }
    }
  };
}
