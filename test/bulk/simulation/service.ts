/** A simulated service with a ledger: what it carries out is money, whatever becomes of the answer. */
import type { Delivery } from '../../../src/bulk/run/delivery.js';
import type { ClaimedRow } from '../../../src/bulk/store/batch-store.js';
import type { Seeded } from './random.js';

export interface Payment {
  readonly id: string;
  readonly reference: string;
  readonly amount: string;
  readonly status: 'confirmed' | 'failed' | 'pending';
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Keys are forgotten after that: no earlier than the 23 hours that are safe. */
const KEY_KEPT_MS = 24 * 3_600_000;

const FAULTS = [
  'none',
  'lost_before',
  'lost_after',
  'garbage',
  'unavailable',
  'limited',
  'not_sent',
  'denied',
  'mismatch',
] as const;
export type Fault = (typeof FAULTS)[number];

export class SimulatedService {
  readonly ledger: Payment[] = [];
  readonly met = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<Fault, number>;
  readonly #keys = new Map<string, { body: string; payment: Payment; atMs: number }>();

  constructor(private readonly random: Seeded) {}

  /** What comes of a request, in two steps: carried out here, answered by calling what is returned. */
  receive({ key, body }: Pick<ClaimedRow, 'key' | 'body'>, fault: Fault, nowMs: number): () => Delivery {
    const answer = (delivery: Delivery) => () => delivery;
    this.met[fault] += 1;
    if (fault === 'lost_before') return answer({ kind: 'unknown', code: 'no_answer' });
    if (fault === 'not_sent') return answer({ kind: 'not_sent', code: 'not_sent' });
    if (fault === 'denied') return answer({ kind: 'denied', code: 'unauthorized', detail: '' });
    const isLimit = fault === 'limited';
    if (isLimit || fault === 'unavailable') {
      const retryAfterMs = this.random.chance(0.5) ? 1000 * this.random.below(5) : null;
      return answer({ kind: 'unavailable', code: 'busy', isLimit, retryAfterMs });
    }
    const text = Buffer.from(body).toString('utf8');
    const delivery = this.#carryOut(key, text, nowMs);
    if (fault === 'lost_after' || fault === 'garbage') return answer({ kind: 'unknown', code: fault });
    if (fault === 'mismatch' && delivery.kind === 'operation') {
      return answer({ kind: 'operation', operation: { ...delivery.operation, amount: '999999.99' } });
    }
    return answer(delivery);
  }

  #carryOut(key: string, body: string, nowMs: number): Delivery {
    const { reference, amount } = JSON.parse(body) as { reference: string; amount: string };
    const known = this.#keys.get(key);
    const isKnown = known !== undefined && nowMs - known.atMs < KEY_KEPT_MS;
    if (isKnown && known.body !== body)
      return { kind: 'conflict', code: 'idempotency_key_reused', detail: '' };
    if (isKnown) return operationOf(known.payment);
    // What a row is about decides how it ends, so that every run sees the same.
    if (reference.endsWith('3'))
      return { kind: 'rejected', code: 'field_invalid', detail: reference, settles: true };
    const isFirst = !this.ledger.some((payment) => payment.reference === reference);
    const isFailed = reference.endsWith('7') || (reference.endsWith('5') && isFirst);
    const status = isFailed ? 'failed' : reference.endsWith('9') ? 'pending' : 'confirmed';
    const createdAt = new Date(nowMs).toISOString();
    const payment: Payment = { id: `op-${this.ledger.length}`, reference, amount, status, createdAt };
    this.ledger.push(payment);
    this.#keys.set(key, { body, payment, atMs: nowMs });
    return operationOf(payment);
  }
}

function operationOf({ id, reference, amount, status }: Payment): Delivery {
  return { kind: 'operation', operation: { id, status, code: null, amount, currency: 'VES', reference } };
}
