/** What a batch asks of the service through the client: a row sent once, an operation read. */
import type { ClaimedRow } from '../../bulk/store/row.js';
import { isUncertain } from '../../bulk/row-state.js';
import type { HolderOf } from '../../client/client.js';
import type { Prepared } from '../../client/request.js';
import { type Attempt, isNotFound } from '../../contract/attempt.js';
import { type OperationFacts, UNSAID } from '../../contract/operation-facts.js';
import { type Direction, GONE } from '../../contract/operation.js';
import type { Permit } from '../../contract/permit.js';
import { Failure } from '../../runtime/failure.js';
import type { Session } from '../session/session.js';

/** What each direction creates and reads. */
export const ROWS = {
  payin: { create: 'payins.create', get: 'payins.get' },
  payout: { create: 'payouts.create', get: 'payouts.get' },
} as const;

/** What sends a row, and what has to let it. */
export interface RowSending {
  /** Why it may not leave now; null where it may. */
  readonly refusal: (row: ClaimedRow) => Promise<Failure | null>;
  /**
   * Sends it once. A signal does not end what is under way: its answer is worth the wait. Who holds its operation is asked at once where the
   * row has left before.
   */
  readonly attempt: (row: ClaimedRow) => Promise<Attempt>;
}

/** As many answers may wait to be recorded at the most, and more. */
const ANSWERED_MAX = 4096;

/**
 * Rows of a batch that was admitted. Each is judged again before each sending, in its turn.
 * @param mayLeave asked in the moment in which it is written
 * @param holderOf of an operation that no row of this run was answered with
 */
export function sendingOver(
  { client, guard }: Session,
  direction: Direction,
  mayLeave: () => boolean,
  holderOf: (row: ClaimedRow) => HolderOf,
): RowSending {
  let [recent, older] = [new Map<string, number>(), new Map<string, number>()];
  const holderNow = async (row: ClaimedRow, operation: OperationFacts): ReturnType<HolderOf> => {
    const { id } = operation;
    const first = recent.get(id) ?? older.get(id) ?? row.number;
    recent.set(id, first);
    if (recent.size >= ANSWERED_MAX) [recent, older] = [new Map<string, number>(), recent];
    if (first !== row.number) return 'other';
    return isUncertain(row.before) ? holderOf(row)(operation) : null;
  };
  const { create } = ROWS[direction];
  const prepared = ({ body, key }: ClaimedRow): Prepared => client.prepare(create, { body }, key);
  const permitted = new WeakMap<
    ClaimedRow,
    { readonly prepared: Prepared; readonly permit: Permit | null }
  >();
  return {
    refusal: async (row) => {
      try {
        const one = prepared(row);
        permitted.set(row, { prepared: one, permit: await guard.permit(one.request, { isAdmitted: true }) });
        return null;
      } catch (refused) {
        if (refused instanceof Failure) return refused;
        throw refused;
      }
    },
    attempt: (row) => {
      const { prepared: one, permit } = permitted.get(row) ?? { prepared: prepared(row), permit: null };
      return client.attempt(one, { mayLeave, permit, holderOf: (operation) => holderNow(row, operation) });
    },
  };
}

/** Reads an operation once, `gone` where the service has none; null where it could not be read, or the answer was about another one. */
export function readingOver({ client }: Session, direction: Direction) {
  return async (id: string): Promise<OperationFacts | null> => {
    const attempt = await client.attempt(client.prepare(ROWS[direction].get, { id }));
    if (attempt.kind === 'success') return attempt.operation;
    return isNotFound(attempt) ? { ...UNSAID, id, status: GONE } : null;
  };
}
