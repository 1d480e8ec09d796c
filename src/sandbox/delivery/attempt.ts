/** Computes the attempts of deliveries (contract section 6). This file does no I/O. */
import { DELIVERY_HEADERS, signatureHeader } from '../../contract/events.js';
import { DELIVERY_WAIT_VARIATION, DELIVERY_WAITS_SECONDS } from '../../contract/limits.js';
import { isoSeconds } from '../../runtime/clock.js';
import { VERSION } from '../../runtime/version.js';
import type { HttpRequest } from '../../runtime/transport.js';
import type { StoredAttempt, DeliveryChange, DueDelivery, StoredDelivery } from '../store/deliveries.js';
import type { ArmedDeliveryFault, DeliveryFault } from '../store/faults.js';

export interface OutgoingDelivery {
  readonly delivery: DueDelivery;
  readonly atMs: number;
  readonly url: string;
  readonly secrets: readonly string[];
  readonly fault: DeliveryFault | null;
  /** A reset or an import begins another `era`, and attempts of an earlier era are not recorded. */
  readonly era: number;
}

/** The timestamp is real time (`wallMs`), because receivers compare it with their own clock. */
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

export type ReceiverAnswer = Omit<StoredAttempt, 'at'>;

type DeliverySchedule = Pick<StoredDelivery, 'type' | 'attempts' | 'wait' | 'fault'>;

export function applyAnswer(
  delivery: DeliverySchedule,
  answer: ReceiverAnswer,
  atMs: number,
  fraction: number,
): Omit<DeliveryChange, 'url'> {
  const { status, fault: shownFault } = answer;
  const { wait } = delivery;
  const attempts = [...delivery.attempts, { at: isoSeconds(atMs), ...answer }];
  const isAccepted = status !== null && status >= 200 && status < 300 && shownFault !== 'bad-signature';
  if (isAccepted && delivery.fault === 'duplicate')
    return { status: 'pending', attempts, wait, next_attempt_at: atMs, fault: 'again' };
  if (isAccepted || delivery.fault === 'again')
    return { status: 'delivered', attempts, wait, next_attempt_at: null, fault: null };
  const fault = delivery.fault === 'duplicate' ? delivery.fault : null;
  const waitMs = nextWaitMs(delivery, atMs, fraction);
  if (waitMs === null) return { status: 'exhausted', attempts, wait, next_attempt_at: null, fault: null };
  return { status: 'pending', attempts, wait: wait + 1, next_attempt_at: atMs + waitMs, fault };
}

const REORDER_MAX_MS = 600_000;

export function applyFault(
  delivery: Pick<DueDelivery, 'type' | 'wait' | 'next_attempt_at'>,
  armedFaults: readonly ArmedDeliveryFault[],
  atMs: number,
  isPassing: boolean,
) {
  const mayRetry = delivery.type === 'test.ping' || earliestRetryMs(delivery, atMs) < Infinity;
  for (const armedFault of armedFaults) {
    const { delivery: fault, until } = armedFault;
    if (fault === 'before-answer' || (fault === 'reorder' && isPassing)) continue;
    if (fault === 'bad-signature' && !mayRetry) continue;
    const reorderEndMs = fault === 'reorder' ? atMs + REORDER_MAX_MS : null;
    const isHeld = fault === 'reorder' || fault === 'hold';
    const nextAtMs = isHeld ? (until ?? reorderEndMs) : delivery.next_attempt_at;
    return { armedFault, change: { fault, next_attempt_at: nextAtMs } };
  }
  return null;
}

export function earliestRetryMs(delivery: Pick<DeliverySchedule, 'type' | 'wait'>, atMs: number): number {
  const plainMs = plainWaitMs(delivery);
  return plainMs === null ? Infinity : atMs + plainMs * (1 - DELIVERY_WAIT_VARIATION);
}

function nextWaitMs(delivery: DeliverySchedule, atMs: number, fraction: number): number | null {
  const plainMs = plainWaitMs(delivery);
  if (plainMs === null) return null;
  const variationMs = plainMs * DELIVERY_WAIT_VARIATION;
  const isLast = delivery.wait === DELIVERY_WAITS_SECONDS.length - 1;
  if (!isLast) return Math.round(plainMs + (2 * fraction - 1) * variationMs);
  // The last wait makes up for the deviation of the wait before it, so that the schedule stays at about 24 hours.
  const previousAttempt = delivery.attempts.at(-1);
  const previousSeconds = DELIVERY_WAITS_SECONDS[delivery.wait - 1];
  const deviationMs =
    previousAttempt === undefined || previousSeconds === undefined
      ? 0
      : atMs - Date.parse(previousAttempt.at) - previousSeconds * 1000;
  return Math.round(plainMs + Math.min(variationMs, Math.max(-variationMs, -deviationMs)));
}

function plainWaitMs({ type, wait }: Pick<DeliverySchedule, 'type' | 'wait'>): number | null {
  const seconds = type === 'test.ping' ? undefined : DELIVERY_WAITS_SECONDS[wait];
  return seconds === undefined ? null : seconds * 1000;
}

export const IN_PROGRESS_MAX = 64;
export const IN_PROGRESS_PER_COMPANY_MAX = 8;

export function shareOf(company: number, inProgress: readonly OutgoingDelivery[], companyCount: number) {
  const deliveries = inProgress.filter(({ delivery }) => delivery.company === company);
  const freeCount = IN_PROGRESS_MAX - inProgress.length;
  const share = Math.max(1, Math.floor(freeCount / companyCount));
  const slotCount = Math.min(share, freeCount, IN_PROGRESS_PER_COMPANY_MAX - deliveries.length);
  return { deliveries, slotCount: Math.max(0, slotCount) };
}

export function selectAttempts(
  queue: readonly DueDelivery[],
  { deliveries, slotCount }: ReturnType<typeof shareOf>,
  nowMs: number,
  movedUntilMs: number,
) {
  const inProgressIds = new Set(deliveries.map(({ delivery }) => delivery.id));
  const dueAttempts: { delivery: DueDelivery; atMs: number }[] = [];
  let horizonMs = Math.min(...deliveries.map(({ delivery, atMs }) => earliestRetryMs(delivery, atMs)));
  for (const delivery of queue) {
    if (inProgressIds.has(delivery.id)) continue;
    const dueMs = delivery.next_attempt_at;
    if (dueMs > nowMs) return { dueAttempts, nextAtMs: dueMs };
    const atMs = dueMs <= movedUntilMs ? dueMs : nowMs;
    if (dueAttempts.length === slotCount || atMs > horizonMs) break;
    dueAttempts.push({ delivery, atMs });
    horizonMs = Math.min(horizonMs, earliestRetryMs(delivery, atMs));
  }
  return { dueAttempts, nextAtMs: null };
}
