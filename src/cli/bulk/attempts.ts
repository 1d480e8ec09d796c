/** What a batch asks of the service through the client: a row sent once, an operation read, a key tried. */
import { isReused } from '../../bulk/run/verdict.js';
import type { ProbeAnswer } from '../../bulk/run/row-evidence.js';
import type { ClaimedRow } from '../../bulk/store/row.js';
import type { Attempt } from '../../contract/attempt.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import type { Direction } from '../../contract/operation.js';
import type { Session } from '../session/session.js';

/** What each direction creates and reads. */
export const ROWS = {
  payin: { create: 'payins.create', get: 'payins.get' },
  payout: { create: 'payouts.create', get: 'payouts.get' },
} as const;

/**
 * Sends a row once. A signal does not end what is under way: its answer is worth the wait.
 * @param mayLeave asked in the moment in which it is written
 */
export function attemptsOver({ client }: Session, direction: Direction, mayLeave: () => boolean) {
  const { create } = ROWS[direction];
  return ({ body, key }: ClaimedRow): Promise<Attempt> =>
    client.attempt(client.prepare(create, { body }, key), { mayLeave });
}

/** Reads an operation once; null where it could not be read, or the answer was about another one. */
export function readingOver({ client }: Session, direction: Direction) {
  return async (id: string): Promise<OperationFacts | null> => {
    const attempt = await client.attempt(client.prepare(ROWS[direction].get, { id }));
    return attempt.kind === 'success' ? attempt.operation : null;
  };
}

/** Sends `{}` with a key: it can pay nothing, and its refusal says whether the key is known. */
export function probingOver({ client }: Session) {
  return async (direction: Direction, key: string): Promise<ProbeAnswer> => {
    const prepared = client.prepare(ROWS[direction].create, { body: Buffer.from('{}') }, key);
    const { attempts } = await client.send(prepared, { attemptsMax: 2 });
    const attempt = attempts.at(-1);
    if (attempt?.kind !== 'refused') return 'other';
    if (isReused(attempt)) return 'reused';
    return attempt.answer.status === 400 ? 'refused' : 'other';
  };
}
