/** Sends the rows of a batch through the client: an attempt of the client becomes what the engine understands. */
import type { Attempt } from '../../contract/attempt.js';
import type { Delivery } from '../../bulk/run/delivery.js';
import type { ProbeAnswer } from '../../bulk/run/probe.js';
import { KEY_REUSED } from '../../bulk/run/verdict.js';
import type { ClaimedRow } from '../../bulk/store/row.js';
import { claimsOf, type OperationClaims } from '../../contract/claims.js';
import type { Detail } from '../../contract/errors.js';
import type { Direction } from '../../contract/methods.js';
import type { Session } from '../session/session.js';

/** What each direction creates and reads. */
export const ROWS = {
  payin: { create: 'payins.create', get: 'payins.get' },
  payout: { create: 'payouts.create', get: 'payouts.get' },
} as const;

/** Sends a row once. A signal does not end what is under way: its answer is worth the wait. */
export function deliveryOver({ client }: Session, direction: Direction) {
  const { create } = ROWS[direction];
  return async ({ body, key }: ClaimedRow): Promise<Delivery> => {
    const { attempts } = await client.send(client.prepare(create, { body }, key), { attemptsMax: 1 });
    return deliveryOf(attempts[0]);
  };
}

/** Reads an operation once; null where it could not be read. */
export function readingOver({ client }: Session, direction: Direction) {
  return async (id: string): Promise<OperationClaims | null> => {
    const { attempts } = await client.call(ROWS[direction].get, { id }, { attemptsMax: 1 });
    const delivery = deliveryOf(attempts[0]);
    return delivery.kind === 'operation' ? delivery.operation : null;
  };
}

/** Sends `{}` with a key: it can pay nothing, and its refusal says whether the key is known. */
export function probingOver({ client }: Session) {
  return async (direction: Direction, key: string): Promise<ProbeAnswer> => {
    const prepared = client.prepare(ROWS[direction].create, { body: Buffer.from('{}') }, key);
    const { attempts } = await client.send(prepared, { attemptsMax: 2 });
    const attempt = attempts.at(-1);
    if (attempt?.kind !== 'refused') return 'other';
    if (attempt.error?.code === KEY_REUSED) return 'reused';
    return attempt.answer.status === 400 ? 'refused' : 'other';
  };
}

function deliveryOf(attempt: Attempt | undefined): Delivery {
  if (attempt === undefined) return { kind: 'not_sent', code: 'interrupted' };
  const unknown = (code: string, isRepeatable: boolean, detail: string | null = null): Delivery => ({
    ...{ kind: 'unknown', code, isRepeatable, detail },
  });
  switch (attempt.kind) {
    case 'success': {
      const operation = claimsOf(attempt.value);
      return operation === null ? unknown('contract_broken', true) : { kind: 'operation', operation };
    }
    case 'mismatched':
      return { kind: 'operation', operation: attempt.operation };
    case 'refused':
      return refusalOf(attempt.answer.status, attempt.error);
    case 'broken':
      return unknown(attempt.error?.code ?? 'contract_broken', false, `HTTP ${attempt.answer.status}`);
    case 'unavailable': {
      const { status } = attempt.answer;
      const code = attempt.error?.code ?? (status === 429 ? 'rate_limited' : 'temporarily_unavailable');
      return { kind: 'unavailable', code, isLimit: status === 429, retryAfterMs: attempt.retryAfterMs };
    }
    case 'server_error':
      return unknown(attempt.error?.code ?? 'server_error', true);
    case 'unreadable':
      return unknown('contract_broken', true);
    case 'lost':
      return unknown('no_answer', true);
    case 'not_sent':
      return { kind: 'not_sent', code: 'not_sent' };
  }
}

type Refusal = Extract<Attempt, { kind: 'refused' }>['error'];

/** The client calls a refusal of a create only what the contract lists for it. */
function refusalOf(status: number, error: Refusal): Delivery {
  const code = error?.code ?? `http_${status}`;
  const detail = detailText(error?.details, error?.message ?? '');
  if (status === 401 || status === 403) return { kind: 'denied', code, detail };
  return { kind: code === KEY_REUSED ? 'reused' : 'rejected', code, detail };
}

function detailText(details: readonly Detail[] | undefined, message: string): string {
  const fields = (details ?? []).map(({ field, code }) => `${field} ${code}`);
  return fields.length > 0 ? fields.join('; ') : message;
}
