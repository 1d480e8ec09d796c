/** What the events settle of a create that may not be sent again: its own operation, where only one can be that. */
import type { Evidence } from '../../bulk/check/evidence.js';
import { agrees, type OperationFacts } from '../../contract/operation-facts.js';
import { SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import type { Journal } from '../../journal/journal.js';
import type { KeptRequest, SettledRequest } from '../../journal/request.js';
import { settledOf } from './settling.js';
import type { StandingList } from './standing.js';

/** A service that still knows its key carries it out no later than that. */
const CARRIED_OUT_MS = 24 * 3_600_000;

/**
 * The one operation that agrees with a create, was made from 10 minutes before to 24 hours after it left, and that nothing else is known to have made;
 * null where there is none, or several may be it.
 * @param evidence of its reference, without the create itself
 */
export function ownOperation(
  { direction, amount, currency, left, firstLeftMs }: KeptRequest,
  { operations, rows, singles }: Evidence,
): OperationFacts | null {
  const held = new Set([...rows, ...singles].map(({ operation }) => operation?.toLowerCase()));
  const leftMs = left?.serviceMs ?? firstLeftMs;
  const mayBe = ({ id, createdAtMs: madeMs }: OperationFacts): boolean => {
    if (madeMs === null || held.has(id.toLowerCase())) return false;
    return madeMs >= leftMs - SERVICE_CLOCKS_MS && madeMs <= leftMs + CARRIED_OUT_MS;
  };
  const [only, ...more] = operations.filter(mayBe);
  if (only === undefined || more.length > 0 || amount === null || currency === null) return null;
  return agrees({ direction, amount, currency }, only) ? only : null;
}

/**
 * Settles it so, where the feed was read before.
 * @returns what it became; null where the events do not say
 */
export async function settleFromEvents(
  request: KeptRequest,
  journal: Journal,
  standing: StandingList,
): Promise<SettledRequest | null> {
  const own = ownOperation(request, await standing.evidence(request.row));
  if (own === null) return null;
  const settled = settledOf(own);
  await journal.settle(request, settled);
  return settled;
}
