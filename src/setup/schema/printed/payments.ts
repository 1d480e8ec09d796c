/** JSON schemas of operations, requests, the feed, reconciliations and deliveries, as the commands print them. */
import type { OperationSource } from '../../../payments/operations/found-operation.js';
import { DELIVERY_HEADERS, EVENT_TYPES } from '../../../contract/events.js';
import type { TimelineEntry } from '../../../payments/operations/timeline.js';
import type { SyncReport } from '../../../feed/sync.js';
import { type ClassSum, FINDING_CLASSES, MATCH_KEYS, type NamedEntries } from '../../../reconcile/finding.js';
import type { ShownFinding, shownSummary } from '../../../reconcile/findings-shown.js';
import { arrayOf, type JsonSchema, everyOf, nullOr, ref } from '../../../contract/openapi/json-schema.js';
import type { PrintedName } from '../../../command/printed-name.js';
import type { DeliveredEvent } from '../../../events/webhooks/delivery.js';
import {
  describe,
  amountOrNull,
  count,
  countOrNull,
  direction,
  environment,
  flag,
  moment,
  momentOrNull,
  oneOf,
  oneOfOrNull,
  text,
  textOrNull,
} from './words.js';

const SOURCES: Readonly<Record<OperationSource, true>> = {
  feed: true,
  batch: true,
  create: true,
  service: true,
};

const OPERATION = {
  ...{ id: text, type: direction, status: text },
  code: describe('Why it failed, or what it waits for', textOrNull),
  ...{ failure_reason: textOrNull, amount: amountOrNull, currency: textOrNull, method: textOrNull },
  ...{ reference: textOrNull, bank_reference: textOrNull, created_at: momentOrNull },
  ...{ confirmed_at: momentOrNull, occurred_at: describe('When its event occurred', momentOrNull) },
  source: describe('How it is known here', oneOf(Object.keys(SOURCES))),
  ...{ batch: textOrNull, line: countOrNull, idempotency_key: textOrNull, environment },
};

const REQUEST = {
  idempotency_key: text,
  endpoint: text,
  environment,
  address: text,
  api_key: describe('Masked', text),
  created_at: describe('When it first left', moment),
  repeatable: flag,
};
/** Members of a request if machines share the journal. */
const SENDER = { sent_by: text, under_way_until: momentOrNull };
const MAY_BE_ABSENT = ['sent_by', 'under_way_until'] as const;

const value = describe('As it was sent; null where it is not known', {});

const LEDGER_LINE: Readonly<Record<keyof ShownFinding['here'][number], JsonSchema>> = {
  line: describe('In the file, from 1', count),
  ...{ id: textOrNull, reference: textOrNull, bank_reference: textOrNull },
  direction: oneOfOrNull(['payin', 'payout']),
  ...{ currency: textOrNull, amount: text, date: textOrNull },
};
const COMPARED_OPERATION: Readonly<Record<keyof ShownFinding['there'][number], JsonSchema>> = {
  ...{ id: text, direction, status: text, reference: textOrNull, bank_reference: textOrNull },
  ...{ currency: textOrNull, amount: textOrNull, date: textOrNull },
};
const namedEntries = nullOr(everyOf<NamedEntries>({ lines: arrayOf(count), operations: arrayOf(text) }));
const side = everyOf({ count, amount: text });

export const PAYMENT_SHAPES = {
  AnyAnswer: describe('What the service answered, byte for byte', {}),
  DryRun: everyOf({
    method: text,
    url: text,
    headers: describe('The key is masked', { type: 'object', additionalProperties: text }),
    body: describe('The body that would be sent', {}),
  }),
  OperationList: everyOf({ operations: arrayOf(everyOf(OPERATION)) }),
  OperationTrace: everyOf({
    operation: ref('Operacion'),
    timeline: arrayOf(
      everyOf<TimelineEntry>({
        at: describe('Empty where it is not known', text),
        what: oneOf(['state', 'event', 'delivery']),
        outcome: text,
        detail: text,
      }),
    ),
  }),
  Request: everyOf(
    { ...REQUEST, ...SENDER, method: value, amount: value, currency: value, reference: value },
    MAY_BE_ABSENT,
  ),
  RequestList: everyOf({ requests: arrayOf(ref('Request')) }),
  RequestWhole: everyOf({ ...REQUEST, ...SENDER, body: {} }, MAY_BE_ABSENT),
  RequestResolved: everyOf({ idempotency_key: textOrNull, operation: textOrNull, status: textOrNull }),
  RequestsForgotten: everyOf({ forgotten: count }),
  FeedPosition: everyOf<SyncReport>({
    events: describe('Read now', count),
    operations: describe('Known now', count),
    cursor: textOrNull,
  }),
  ReconciliationFinding: everyOf<ShownFinding>({
    class: oneOf(FINDING_CLASSES),
    by: oneOfOrNull(MATCH_KEYS),
    detail: text,
    here: arrayOf(everyOf(LEDGER_LINE)),
    there: arrayOf(everyOf(COMPARED_OPERATION)),
    beside: namedEntries,
    tolerances: arrayOf(text),
    suggestion: namedEntries,
    next_command: textOrNull,
  }),
  ReconciliationSummary: describe(
    'The last line',
    everyOf<ReturnType<typeof shownSummary>>({
      ...{ agrees: flag, lines: count, operations: count },
      outside: everyOf({ lines: count, operations: count }),
      ...{ skipped: count, failed: count, within_tolerance: count },
      ...{ from: textOrNull, to: textOrNull, known_until: textOrNull },
      sums: arrayOf(
        everyOf<ClassSum>({
          ...{ class: oneOf(FINDING_CLASSES), currency: textOrNull, here: side, there: side },
        }),
      ),
      totals: arrayOf(
        everyOf<ReturnType<typeof shownSummary>['totals'][number]>({
          ...{ currency: textOrNull, here: side },
          there: describe('Confirmed', side),
          ...{ pending: side, failed: side },
        }),
      ),
    }),
  ),
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
} satisfies Partial<Readonly<Record<PrintedName, JsonSchema>>>;
