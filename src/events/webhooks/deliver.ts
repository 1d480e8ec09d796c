/** Delivers an event as the service does (contract section 6). */
import { DELIVERY_WAIT_VARIATION, DELIVERY_WAITS_SECONDS, LIMITS } from '../../contract/limits.js';
import type { Clock, Random } from '../../runtime/clock.js';
import { NotAnswered, redirectOf, type Transport } from '../../runtime/transport.js';
import { signDelivery, type DeliveryHeaders } from './signing.js';

export interface Receiver {
  readonly url: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly userAgent: string;
  readonly traceparent?: string | undefined;
  readonly onLeaving?: () => void;
}

export interface DeliveryAnswer {
  readonly status: number | null;
  readonly error: string | null;
  /** False only if certainly nothing reached the receiver. */
  readonly sent: boolean;
  readonly location?: string | undefined;
  readonly firstLine?: string | undefined;
}

export function isAccepted({ status }: DeliveryAnswer): boolean {
  return status !== null && status >= 200 && status < 300;
}

const ANSWER_KEPT_BYTES = 200;

export async function post(
  { url, transport, signal, userAgent, traceparent, onLeaving }: Receiver,
  body: Uint8Array | null,
  headers: Partial<DeliveryHeaders>,
  method: 'POST' | 'GET' = 'POST',
): Promise<DeliveryAnswer> {
  const request = {
    method,
    url,
    headers: {
      ...{ 'content-type': 'application/json', 'user-agent': userAgent },
      ...(traceparent === undefined ? {} : { traceparent }),
      ...headers,
    },
    body,
  };
  try {
    const answer = await transport(request, {
      timeoutMs: LIMITS.receiverAnswerMs,
      signal,
      ignoresBody: true,
      keptBytes: ANSWER_KEPT_BYTES,
      maySend: () => {
        onLeaving?.();
        return true;
      },
    });
    const { status } = answer;
    const location = redirectOf(answer);
    const text = Buffer.from(answer.body.subarray(0, ANSWER_KEPT_BYTES)).toString('utf8').trim();
    const firstLine = /^.*/.exec(text)?.[0];
    return { status, error: null, sent: true, firstLine, location };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof NotAnswered)) throw error;
    return { status: null, error: error.message, sent: error.wasSent };
  }
}

export type DeliveryAttempt = Readonly<Record<'attempt' | 'ms', number>>;

export interface RetryOptions {
  readonly secrets: readonly string[];
  readonly random: Random;
  readonly firstWaitsSeconds?: readonly number[];
  readonly onRefused: (answer: DeliveryAnswer, waitMs: number, attempt: DeliveryAttempt) => Promise<void>;
  readonly onAttempt?: (answer: DeliveryAnswer, attempt: DeliveryAttempt) => void;
}

export async function deliver(
  receiver: Receiver,
  body: Uint8Array,
  event: { readonly id: string; readonly type: string },
  { secrets, random, onRefused, onAttempt, firstWaitsSeconds = [] }: RetryOptions,
): Promise<DeliveryAnswer> {
  const { clock, signal } = receiver;
  const waitsSeconds = [...firstWaitsSeconds, ...DELIVERY_WAITS_SECONDS];
  for (let retries = 0; ; retries += 1) {
    const unixSeconds = Math.floor(clock.now() / 1000);
    const startedMs = clock.monotonic();
    const answer = await post(receiver, body, signDelivery(body, event, secrets, unixSeconds));
    const attempt = { attempt: retries + 1, ms: clock.monotonic() - startedMs };
    onAttempt?.(answer, attempt);
    const waitSeconds = waitsSeconds[retries];
    if (isAccepted(answer) || waitSeconds === undefined) return answer;
    const variation = DELIVERY_WAIT_VARIATION * (2 * random.fraction() - 1);
    const waitMs = Math.round(waitSeconds * 1000 * (1 + variation));
    await onRefused(answer, waitMs, attempt);
    await clock.sleep(waitMs, signal);
  }
}
