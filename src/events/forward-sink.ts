import { jsonIn } from '../contract/json.js';
import { isObject } from '../contract/shape.js';
import { bytesOf, type FeedEvent, type Page } from '../feed/walk.js';
import type { Sink } from '../feed/follow.js';
import { contractBroken, Failure } from '../runtime/failure.js';
import type { LogFacts, Ports } from '../runtime/ports.js';
import {
  deliver,
  isAccepted,
  type DeliveryAnswer,
  type DeliveryAttempt,
  type Receiver,
} from './webhooks/deliver.js';
import { isHeaderSafe } from './webhooks/signing.js';

export const FIRST_WAITS_SECONDS = [1, 2, 5, 15];

export function forwardSink(
  { random }: Ports,
  receiver: Receiver,
  secret: string,
  note: (text: string, facts?: LogFacts) => Promise<void>,
  onAttempt: OnAttempt,
): Sink {
  return async (page, events, accept) => {
    for (const event of events) {
      const body = bytesOf(page, event);
      const eventId = event.id;
      const onRefused = (reply: DeliveryAnswer, waitMs: number, attempt: DeliveryAttempt): Promise<void> =>
        note(
          `The receiver did not accept event ${event.id}: ${answerText(reply)}. svc tries again in ${Math.max(1, Math.round(waitMs / 1000))} s.`,
          { level: 'warn', eventId, ...attempt },
        );
      const eventHead = { id: event.id, type: typeOf(page, event) };
      const answer = await deliver(receiver, body, eventHead, {
        ...{ secrets: [secret], random, onRefused },
        onAttempt: (reply, attempt) => onAttempt({ eventId, ...attempt, isAccepted: isAccepted(reply) }),
        firstWaitsSeconds: FIRST_WAITS_SECONDS,
      });
      if (!isAccepted(answer))
        throw new Failure(
          'unavailable',
          `The receiver did not accept event ${event.id} in any attempt: ${answerText(answer)}. Later events were not delivered. ` +
            'Repair the receiver and run this again.',
          { code: 'delivery_exhausted', outcome: 'sent', retryable: true },
        );
      await accept([event]);
    }
  };
}

export function answerText({ status, error, location, firstLine = '' }: DeliveryAnswer): string {
  if (status === null) return `no answer: ${error ?? 'unknown'}`;
  const locationText = location === undefined ? '' : ` to ${location}`;
  return status >= 300 && status < 400
    ? `the answer was a redirect (${status})${locationText}`
    : `the answer was ${status}${firstLine === '' ? '' : ` (${firstLine})`}`;
}

function typeOf(page: Page, event: FeedEvent): string {
  const value = jsonIn(bytesOf(page, event));
  const type = isObject(value) ? value['type'] : undefined;
  if (typeof type === 'string' && type !== '' && isHeaderSafe({ id: event.id, type })) return type;
  throw contractBroken(`event ${event.id} has no type that a header can carry`);
}

export type OnAttempt = (
  attempt: DeliveryAttempt & { readonly eventId: string; readonly isAccepted: boolean },
) => void;
