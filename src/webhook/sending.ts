/** Delivers an event as the service does: signed, within ten seconds, without following redirects, and again on its schedule (section 6). */
import { DELIVERY_WAIT_VARIATION, DELIVERY_WAITS_SECONDS, LIMITS } from '../contract/limits.js';
import type { Clock, Random } from '../runtime/clock.js';
import { NotAnswered, redirectOf, type Transport } from '../runtime/transport.js';
import { signDelivery, type DeliveryHeaders } from './signing.js';

/** A receiver and the way to it. */
export interface Receiver {
  readonly url: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Such as `svc/1.2.3`. */
  readonly userAgent: string;
  /** The place of the deliveries in a trace; they have none unless it is given. No signature covers it. */
  readonly traceparent?: string | undefined;
  /** Told in the moment in which a delivery leaves. */
  readonly onLeaving?: () => void;
}

/** What came of one attempt: the receiver's status, or why there is none. */
export interface DeliveryAnswer {
  readonly status: number | null;
  readonly error: string | null;
  /** False only where it is certain that nothing reached the receiver. */
  readonly sent: boolean;
  /** Where a redirect leads, which is not followed. */
  readonly location?: string | undefined;
  /** What the answer begins with, for a person; empty where it has no body. */
  readonly said?: string | undefined;
}

/** Only a 2xx accepts an event; what the receiver says beside that is not read. */
export function isAccepted({ status }: DeliveryAnswer): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** A person reads the first line of an error; a page of HTML is none. */
const SAID_MAX_BYTES = 200;

/** One attempt with these headers: all of a delivery, or less of it where a receiver is tried. @throws the signal's reason */
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
      keptBytes: SAID_MAX_BYTES,
      mayLeave: () => {
        onLeaving?.();
        return true;
      },
    });
    const { status } = answer;
    const location = redirectOf(answer);
    const text = Buffer.from(answer.body.subarray(0, SAID_MAX_BYTES)).toString('utf8').trim();
    const said = /^.*/.exec(text)?.[0];
    return { status, error: null, sent: true, said, location };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof NotAnswered)) throw error;
    return { status: null, error: error.message, sent: error.sent };
  }
}

/** The number of an attempt, from 1, and how long it took. */
export interface DeliveryAttempt {
  readonly attempt: number;
  readonly ms: number;
}

export interface Persistence {
  readonly secrets: readonly string[];
  readonly random: Random;
  /** Shorter waits before those of the service's schedule, in seconds; none by default. */
  readonly firstWaitsSeconds?: readonly number[];
  /** Before each wait, with its length. */
  readonly onRefused: (answered: DeliveryAnswer, waitMs: number, tried: DeliveryAttempt) => Promise<void>;
  /** After each attempt. */
  readonly onAttempt?: (answered: DeliveryAnswer, tried: DeliveryAttempt) => void;
}

/**
 * Delivers one event until it is accepted, with a new signature for each attempt, or until the schedule is at its end.
 * @returns the last answer
 * @throws the signal's reason
 */
export async function deliver(
  receiver: Receiver,
  body: Uint8Array,
  event: { readonly id: string; readonly type: string },
  { secrets, random, onRefused, onAttempt, firstWaitsSeconds = [] }: Persistence,
): Promise<DeliveryAnswer> {
  const { clock, signal } = receiver;
  const waitsSeconds = [...firstWaitsSeconds, ...DELIVERY_WAITS_SECONDS];
  for (let attempt = 0; ; attempt += 1) {
    const seconds = Math.floor(clock.now() / 1000);
    const startedMs = clock.monotonic();
    const answered = await post(receiver, body, signDelivery(body, event, secrets, seconds));
    const tried = { attempt: attempt + 1, ms: clock.monotonic() - startedMs };
    onAttempt?.(answered, tried);
    const waitSeconds = waitsSeconds[attempt];
    if (isAccepted(answered) || waitSeconds === undefined) return answered;
    const variation = DELIVERY_WAIT_VARIATION * (2 * random.fraction() - 1);
    const waitMs = Math.round(waitSeconds * 1000 * (1 + variation));
    await onRefused(answered, waitMs, tried);
    await clock.sleep(waitMs, signal);
  }
}
