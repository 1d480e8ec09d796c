import { DELIVERY_HEADERS, EVENT_TYPES } from '../contract/events.js';
import type { SyncReport } from '../feed/sync.js';
import { arrayOf, type JsonSchema, everyOf, ref } from '../contract/openapi/json-schema.js';
import type { OwnShapeName } from '../command/shape-names.js';
import type { DeliveredEvent } from './webhooks/delivery.js';
import { describe, count, oneOf, text, textOrNull } from '../contract/openapi/words.js';

export const EVENT_SHAPES = {
  FeedPosition: everyOf<SyncReport>({
    events: describe('Read now', count),
    operations: describe('Known now', count),
    cursor: textOrNull,
  }),
  DeliveryHeaders: everyOf(Object.fromEntries(Object.values(DELIVERY_HEADERS).map((name) => [name, text]))),
  SignedEvent: describe('An Evento where the service signed it; its own bytes', {
    anyOf: [
      ref('Evento'),
      everyOf<DeliveredEvent>({ id: text, type: text, occurred_at: text, data: { type: 'object' } }),
    ],
  }),
  TriggeredDeliveries: everyOf({
    deliveries: arrayOf(
      everyOf(
        {
          event_id: text,
          type: oneOf(EVENT_TYPES),
          status: describe('What the receiver answered; null for no answer', { type: ['integer', 'null'] }),
          error: textOrNull,
          answer: describe('The first line of its answer; absent for none', text),
        },
        ['answer'],
      ),
    ),
  }),
} satisfies Partial<Readonly<Record<OwnShapeName, JsonSchema>>>;
