import { EVENT_TYPES } from '../../contract/events.js';
import type { Delivery, RejectionReason, DeliveredEvent } from './delivery.js';
import type { SeenEvents } from './seen.js';
import { verify } from './verification.js';

export type ReceivedRequest = Delivery & { readonly method: string };

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Remark {
  readonly kind: 'rejected' | 'duplicate' | 'ping' | 'unknown_type' | 'failed';
  readonly reason?: RejectionReason;
  readonly text: string;
}

interface ReceptionOptions {
  /** A delivery is authentic if a secret of any set signed it. */
  readonly secretSets: readonly (readonly string[])[];
  readonly seen: Pick<SeenEvents, 'has' | 'add'>;
  readonly nowMs: () => number;
  /** Resolves once a crash cannot lose the event any more. */
  readonly handOver: (event: DeliveredEvent, body: Uint8Array) => Promise<void>;
  readonly onRemark: (remark: Remark) => void;
}

const REJECTION_STATUSES: Partial<Record<RejectionReason, number>> = {
  body_too_large: 413,
  encoding_unsupported: 415,
  signature_mismatch: 401,
  timestamp_outside_tolerance: 401,
};

export function receive({
  secretSets,
  seen,
  nowMs,
  handOver,
  onRemark,
}: ReceptionOptions): (request: ReceivedRequest) => Promise<Reply> {
  const openHandOvers = new Map<string, Promise<void>>();
  return async (request) => {
    if (request.method !== 'POST') {
      return refusal(405, 'method_not_allowed', 'Deliveries are POST requests.', { Allow: 'POST' });
    }
    const verdicts = secretSets.map((secrets) => verify(request, { secrets, nowMs: nowMs() }));
    const verdict =
      verdicts.find((one) => one.accepted || one.reason !== 'signature_mismatch') ?? verdicts[0];
    if (verdict === undefined) throw new RangeError('at least one set of secrets');
    if (!verdict.accepted) {
      const { reason, message } = verdict;
      onRemark({ kind: 'rejected', reason, text: `Rejected (${reason}): ${message}` });
      return refusal(REJECTION_STATUSES[reason] ?? 400, reason, message);
    }
    const { event, body } = verdict;
    const remark = remarkOn(event);
    if (remark !== null) {
      onRemark(remark);
      return ACCEPTED_REPLY;
    }
    try {
      if (seen.has(event.id)) {
        const text = `Event ${event.id} arrived again. It was handled before.`;
        onRemark({ kind: 'duplicate', text });
        return ACCEPTED_REPLY;
      }
      // A second copy of an event waits for the first, because an event that fails must not be accepted.
      const handling =
        openHandOvers.get(event.id) ?? handOver(event, body).then(() => seen.add(event.id, nowMs()));
      openHandOvers.set(event.id, handling);
      await handling.finally(() => openHandOvers.delete(event.id));
      return ACCEPTED_REPLY;
    } catch (error) {
      const text = `Event ${event.id} could not be handed over: ${(error as Error).message}`;
      onRemark({ kind: 'failed', text });
      return refusal(503, 'not_handed_over', 'The event could not be handed over.');
    }
  };
}

function remarkOn({ id, type }: DeliveredEvent): Remark | null {
  if (type === 'test.ping') return { kind: 'ping', text: `A test.ping arrived (${id}). It is not an event.` };
  if ((EVENT_TYPES as readonly string[]).includes(type)) return null;
  return {
    kind: 'unknown_type',
    text: `Event ${id} has an unknown type, ${type}. It was accepted, but not processed.`,
  };
}

const ACCEPTED_REPLY: Reply = { status: 200, headers: {}, body: '{"received":true}' };

function refusal(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return { status, headers, body: JSON.stringify({ error: { code, message } }) };
}
