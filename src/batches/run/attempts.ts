import type { ClaimedRow } from '../../storage/batches/row.js';
import { isUncertain } from '../../storage/batches/row-state.js';
import type { FindHolder } from '../../client/client.js';
import type { PreparedRequest } from '../../client/request.js';
import { type Attempt, isNotFound } from '../../contract/attempt.js';
import { type OperationFacts, NO_FACTS } from '../../contract/operation-facts.js';
import { type Direction, GONE } from '../../contract/operation.js';
import type { Permit } from '../../contract/permit.js';
import { Failure } from '../../runtime/failure.js';
import type { Session } from '../../session/session.js';

export const ENDPOINTS = {
  payin: { create: 'payins.create', get: 'payins.get' },
  payout: { create: 'payouts.create', get: 'payouts.get' },
} as const;

const RECENT_ANSWERS_MAX = 4096;

export function rowSender(
  { client, guard }: Session,
  direction: Direction,
  maySend: () => boolean,
  holderOf: (row: ClaimedRow) => FindHolder,
) {
  let [recentNumbers, olderNumbers] = [new Map<string, number>(), new Map<string, number>()];
  const holderOfAnswer = async (row: ClaimedRow, operation: OperationFacts): ReturnType<FindHolder> => {
    const { id } = operation;
    const firstNumber = recentNumbers.get(id) ?? olderNumbers.get(id) ?? row.number;
    recentNumbers.set(id, firstNumber);
    if (recentNumbers.size >= RECENT_ANSWERS_MAX)
      [recentNumbers, olderNumbers] = [new Map<string, number>(), recentNumbers];
    if (firstNumber !== row.number) return 'other';
    return isUncertain(row.stateBefore) ? holderOf(row)(operation) : null;
  };
  const { create } = ENDPOINTS[direction];
  const prepareRow = ({ body, key }: ClaimedRow): PreparedRequest => client.prepare(create, { body }, key);
  const permits = new WeakMap<ClaimedRow, Readonly<{ prepared: PreparedRequest; permit: Permit | null }>>();
  return {
    findRefusal: async (row: ClaimedRow): Promise<Failure | null> => {
      try {
        const prepared = prepareRow(row);
        permits.set(row, { prepared, permit: await guard.permit(prepared.request, { isAdmitted: true }) });
        return null;
      } catch (error) {
        if (error instanceof Failure) return error;
        throw error;
      }
    },
    /** Passes no signal on, because the answer to a row that was sent must not be lost. */
    attempt: (row: ClaimedRow): Promise<Attempt> => {
      const { prepared, permit } = permits.get(row) ?? { prepared: prepareRow(row), permit: null };
      const findHolder: FindHolder = (operation) => holderOfAnswer(row, operation);
      return client.attempt(prepared, { maySend, permit, findHolder });
    },
  };
}

export function operationReader({ client }: Session, direction: Direction) {
  return async (id: string): Promise<OperationFacts | null> => {
    const attempt = await client.attempt(client.prepare(ENDPOINTS[direction].get, { id }));
    if (attempt.kind === 'success') return attempt.operation;
    return isNotFound(attempt) ? { ...NO_FACTS, id, status: GONE } : null;
  };
}
