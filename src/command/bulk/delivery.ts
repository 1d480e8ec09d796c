/** Sends the rows of a batch through the client: an attempt of the client becomes what the engine understands. */
import type { Attempt } from '../../client/attempt.js';
import type { Delivery, OperationClaims } from '../../bulk/run/delivery.js';
import type { ClaimedRow } from '../../bulk/store/batch-store.js';
import type { Detail } from '../../contract/errors.js';
import type { Direction } from '../../contract/methods.js';
import { comesAfterReplay } from '../create/keyed.js';
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

/** What an operation says of itself, from a parsed answer or event; null where it is none. */
export function claimsOf(value: unknown): OperationClaims | null {
  if (typeof value !== 'object' || value === null) return null;
  const members = value as Readonly<Record<string, unknown>>;
  const text = (name: string): string | undefined => {
    const member = members[name];
    return typeof member === 'string' ? member : undefined;
  };
  const [id, status] = [text('id'), text('status')];
  if (id === undefined || status === undefined) return null;
  const failure = members['failure'] as { code?: unknown } | null | undefined;
  const code = typeof failure?.code === 'string' ? failure.code : (text('pending_reason') ?? null);
  return {
    id,
    status,
    code,
    amount: text('amount'),
    currency: text('currency'),
    reference: text('reference'),
    createdAt: text('created_at'),
  };
}

function deliveryOf(attempt: Attempt | undefined): Delivery {
  if (attempt === undefined) return { kind: 'not_sent', code: 'interrupted' };
  switch (attempt.kind) {
    case 'success': {
      const operation = claimsOf(attempt.value);
      return operation === null
        ? { kind: 'unknown', code: 'contract_broken' }
        : { kind: 'operation', operation };
    }
    case 'refused':
      return refusalOf(attempt.answer.status, attempt.error);
    case 'broken':
      return {
        kind: 'misdirected',
        code: attempt.error?.code ?? 'contract_broken',
        detail: `HTTP ${attempt.answer.status}`,
      };
    case 'unavailable': {
      const { status } = attempt.answer;
      const code = attempt.error?.code ?? (status === 429 ? 'rate_limited' : 'temporarily_unavailable');
      return { kind: 'unavailable', code, isLimit: status === 429, retryAfterMs: attempt.retryAfterMs };
    }
    case 'server_error':
      return { kind: 'unknown', code: attempt.error?.code ?? 'server_error' };
    case 'unreadable':
      return { kind: 'unknown', code: 'contract_broken' };
    case 'lost':
      return { kind: 'unknown', code: 'no_answer' };
    case 'not_sent':
      return { kind: 'not_sent', code: 'not_sent' };
  }
}

type Refusal = Extract<Attempt, { kind: 'refused' }>['error'];

function refusalOf(status: number, error: Refusal): Delivery {
  const code = error?.code ?? `http_${status}`;
  const detail = detailText(error?.details, error?.message ?? '');
  if (status === 401 || status === 403) return { kind: 'denied', code, detail };
  if (code === 'idempotency_key_reused') return { kind: 'conflict', code, detail };
  if (status === 404) return { kind: 'misdirected', code, detail: `HTTP ${status}` };
  return { kind: 'rejected', code, detail, settles: error !== null && comesAfterReplay(error) };
}

function detailText(details: readonly Detail[] | undefined, message: string): string {
  const fields = (details ?? []).map(({ field, code }) => `${field} ${code}`);
  return fields.length > 0 ? fields.join('; ') : message;
}
