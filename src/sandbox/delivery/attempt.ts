/**
 * One attempt of a delivery: its address and content, signed as it leaves. The next attempt follows by the waits of section 6, each
 * varied a little, until their end. Pure.
 */
import { DELIVERY_HEADERS, signatureHeader } from '../../contract/events.js';
import { DELIVERY_WAIT_VARIATION, DELIVERY_WAITS_SECONDS } from '../../contract/limits.js';
import { isoSeconds } from '../../runtime/clock.js';
import { VERSION } from '../../runtime/version.js';
import type { HttpRequest } from '../../runtime/transport.js';
import type { StoredAttempt, DeliveryChange, DueDelivery, StoredDelivery } from '../store/deliveries.js';
import type { ArmedDelivery, DeliveryFault } from '../store/faults.js';

export interface OutgoingDelivery {
  /** As it was when it was taken out of the store, where it stays until the outcome is known. */
  readonly delivery: DueDelivery;
  /** When the attempt counts as made: sandbox time in ms. */
  readonly atMs: number;
  /** The company's url at that moment. */
  readonly url: string;
  /** The newest first; never more than two. */
  readonly secrets: readonly string[];
  /** The fault that this attempt shows: signed by none of the company's secrets, or the second of two. */
  readonly fault: DeliveryFault | null;
}

/** The POST of an outgoing delivery. @param wallMs the time of the machine, so that real receivers accept it wherever the sandbox's clock is */
export function requestOf({ delivery, url, secrets }: OutgoingDelivery, wallMs: number): HttpRequest {
  const body = Buffer.from(delivery.body);
  const timestamp = Math.floor(wallMs / 1000).toString();
  return {
    method: 'POST',
    url,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': `svc/${VERSION}`,
      [DELIVERY_HEADERS.signature]: signatureHeader(secrets, timestamp, body),
      [DELIVERY_HEADERS.timestamp]: timestamp,
      [DELIVERY_HEADERS.type]: delivery.type,
      [DELIVERY_HEADERS.id]: delivery.event_id,
    },
    body,
  };
}

/** What came of one attempt: the receiver's status, or why there is none. */
export interface ReceiverAnswer extends Omit<StoredAttempt, 'at'> {
  readonly status: number | null;
  readonly error: string | null;
}

type Scheduled = Pick<StoredDelivery, 'type' | 'attempts' | 'wait' | 'fault'>;

/**
 * The delivery after an attempt that began at `atMs` (sandbox time): delivered by any 2xx, exhausted after the last wait,
 * and a `test.ping` after its only attempt. One that shall go twice is due again when it is accepted; what becomes of the second does not
 * count. An attempt with a bad signature delivers nothing, whatever the receiver says.
 * @param fraction at least 0, less than 1: how the wait before the next attempt varies
 */
export function afterAttempt(
  delivery: Scheduled,
  answer: ReceiverAnswer,
  atMs: number,
  fraction: number,
): Omit<DeliveryChange, 'url'> {
  const { status, fault: shown } = answer;
  const { wait } = delivery;
  const attempts = [...delivery.attempts, { at: isoSeconds(atMs), ...answer }];
  const isAccepted = status !== null && status >= 200 && status < 300 && shown !== 'bad-signature';
  if (isAccepted && delivery.fault === 'duplicate')
    return { status: 'pending', attempts, wait, next_attempt_at: atMs, fault: 'again' };
  if (isAccepted || delivery.fault === 'again')
    return { status: 'delivered', attempts, wait, next_attempt_at: null, fault: null };
  const fault = delivery.fault === 'duplicate' ? delivery.fault : null;
  const waitMs = nextWaitMs(delivery, atMs, fraction);
  if (waitMs === null) return { status: 'exhausted', attempts, wait, next_attempt_at: null, fault: null };
  return { status: 'pending', attempts, wait: wait + 1, next_attempt_at: atMs + waitMs, fault };
}

/** How long a delivery waits for one that shall pass it, where the fault says nothing. */
const REORDER_MAX_MS = 600_000;

/** What the first of the armed faults that concerns a delivery makes of it; null: it leaves as always. */
export function meetFault(
  delivery: Pick<DueDelivery, 'type' | 'wait' | 'next_attempt_at'>,
  armed: readonly ArmedDelivery[],
  atMs: number,
  isPassing: boolean,
): {
  readonly met: ArmedDelivery;
  readonly change: Pick<DeliveryChange, 'fault' | 'next_attempt_at'>;
} | null {
  const met = armed.find(({ delivery: kind }) => {
    if (kind === 'before-answer') return false;
    // The one that passes another is the second of the two.
    if (kind === 'reorder') return !isPassing;
    // The last attempt is the one that has to count; a ping has no other, and is no event.
    return (
      kind !== 'bad-signature' || delivery.type === 'test.ping' || earliestRetryMs(delivery, atMs) < Infinity
    );
  });
  if (met === undefined) return null;
  const { delivery: kind, until } = met;
  if (kind === 'before-answer') return null;
  const heldUntil = kind === 'reorder' ? (until ?? atMs + REORDER_MAX_MS) : until;
  const isHeld = kind === 'reorder' || kind === 'hold';
  return { met, change: { fault: kind, next_attempt_at: isHeld ? heldUntil : delivery.next_attempt_at } };
}

/** The first moment at which an attempt that began at `atMs` can be followed by another; infinite where none follows. */
export function earliestRetryMs(delivery: Pick<Scheduled, 'type' | 'wait'>, atMs: number): number {
  const plainMs = plainWaitMs(delivery);
  return plainMs === null ? Infinity : atMs + plainMs * (1 - DELIVERY_WAIT_VARIATION);
}

function nextWaitMs(delivery: Scheduled, atMs: number, fraction: number): number | null {
  const plainMs = plainWaitMs(delivery);
  if (plainMs === null) return null;
  const mostMs = plainMs * DELIVERY_WAIT_VARIATION;
  const isLast = delivery.wait === DELIVERY_WAITS_SECONDS.length - 1;
  if (!isLast) return Math.round(plainMs + (2 * fraction - 1) * mostMs);
  // The longest waits come last: where both strayed to the same side, "about 24 hours" would become 26.
  const previous = delivery.attempts.at(-1);
  const previousSeconds = DELIVERY_WAITS_SECONDS[delivery.wait - 1];
  const strayedMs =
    previous === undefined || previousSeconds === undefined
      ? 0
      : atMs - Date.parse(previous.at) - previousSeconds * 1000;
  return Math.round(plainMs + Math.min(mostMs, Math.max(-mostMs, -strayedMs)));
}

function plainWaitMs({ type, wait }: Pick<Scheduled, 'type' | 'wait'>): number | null {
  const seconds = type === 'test.ping' ? undefined : DELIVERY_WAITS_SECONDS[wait];
  return seconds === undefined ? null : seconds * 1000;
}

/** Attempts under way at a time, in all; a receiver may need ten seconds for each. */
export const UNDER_WAY_MAX = 64;
/** And for one company, so that its slow receiver leaves room for the others. */
export const UNDER_WAY_PER_COMPANY_MAX = 8;

/** What a company has under way, and how much more may leave for it, where that many companies want a part of what is left. */
export function shareOf(company: number, underWay: readonly OutgoingDelivery[], companies: number) {
  const deliveries = underWay.filter(({ delivery }) => delivery.company === company);
  const part = Math.max(1, Math.floor((UNDER_WAY_MAX - underWay.length) / companies));
  const left = Math.min(UNDER_WAY_PER_COMPANY_MAX - deliveries.length, UNDER_WAY_MAX - underWay.length);
  return { deliveries, room: Math.max(0, Math.min(part, left)) };
}

/**
 * The attempts that leave, each with the moment it counts as made, and the moment of the first that is not due yet.
 * One that fell due while the clock was moved counts as made at its own moment, and leaves only when nothing that is under
 * way could still be followed by an earlier one. Whatever else is late (no server ran) is made now.
 * @param owed in the order of their moments, those under way among them
 * @param movedUntilMs up to when the clock was moved
 */
export function select(
  owed: readonly DueDelivery[],
  { deliveries, room }: ReturnType<typeof shareOf>,
  nowMs: number,
  movedUntilMs: number,
): { readonly chosen: readonly { delivery: DueDelivery; atMs: number }[]; readonly nextAtMs: number | null } {
  const underWay = new Set(deliveries.map(({ delivery }) => delivery.id));
  const chosen: { delivery: DueDelivery; atMs: number }[] = [];
  let horizonMs = Math.min(...deliveries.map(({ delivery, atMs }) => earliestRetryMs(delivery, atMs)));
  for (const delivery of owed) {
    if (underWay.has(delivery.id)) continue;
    const dueMs = delivery.next_attempt_at;
    if (dueMs > nowMs) return { chosen, nextAtMs: dueMs };
    const atMs = dueMs <= movedUntilMs ? dueMs : nowMs;
    if (chosen.length === room || atMs > horizonMs) break;
    chosen.push({ delivery, atMs });
    horizonMs = Math.min(horizonMs, earliestRetryMs(delivery, atMs));
  }
  return { chosen, nextAtMs: null };
}
