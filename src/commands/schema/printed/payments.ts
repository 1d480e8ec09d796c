/** The shapes of operations, requests, the feed, reconciliations and deliveries, as the commands print them. */
import type { OperationSource } from '../../../cli/feed/found-operation.js';
import { DELIVERY_HEADERS, EVENT_TYPES } from '../../../contract/events.js';
import type { TimelineEntry } from '../../../events/timeline.js';
import type { SyncReport } from '../../../mirror/sync.js';
import { type ClassSum, FINDING_CLASSES, MATCH_KEYS, type Named } from '../../../reconcile/finding.js';
import type { ShownFinding, shownSummary } from '../../../reconcile/shown.js';
import { arrayOf, type JsonSchema, members, everyOf, nullOr, ref } from '../../../schema/json-schema.js';
import type { PrintedName } from '../../../schema/printed-name.js';
import type { DeliveredEvent } from '../../../webhook/delivery.js';
import {
  about,
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
  code: about('Why it failed, or what it waits for', textOrNull),
  ...{ failure_reason: textOrNull, amount: amountOrNull, currency: textOrNull, method: textOrNull },
  ...{ reference: textOrNull, bank_reference: textOrNull, created_at: momentOrNull },
  ...{ confirmed_at: momentOrNull, occurred_at: about('When its event occurred', momentOrNull) },
  source: about('How it is known here', oneOf(Object.keys(SOURCES))),
  ...{ batch: textOrNull, line: countOrNull, idempotency_key: textOrNull, environment },
};

const REQUEST = {
  idempotency_key: text,
  endpoint: text,
  environment,
  address: text,
  api_key: about('Masked', text),
  created_at: about('When it first left', moment),
  repeatable: flag,
};
/** Where machines share the journal. */
const SENT = { sent_by: text, under_way_until: momentOrNull };

const asSent = about('As it was sent; null where it is not known', {});

const LINE: Readonly<Record<keyof ShownFinding['here'][number], JsonSchema>> = {
  line: about('In the file, from 1', count),
  ...{ id: textOrNull, reference: textOrNull, bank_reference: textOrNull },
  direction: oneOfOrNull(['payin', 'payout']),
  ...{ currency: textOrNull, amount: text, date: textOrNull },
};
const COMPARED: Readonly<Record<keyof ShownFinding['there'][number], JsonSchema>> = {
  ...{ id: text, direction, status: text, reference: textOrNull, bank_reference: textOrNull },
  ...{ currency: textOrNull, amount: textOrNull, date: textOrNull },
};
const named = nullOr(everyOf<Named>({ lines: arrayOf(count), operations: arrayOf(text) }));
const side = members({ count, amount: text }, ['count', 'amount']);

export const PAYMENT_SHAPES = {
  AnyAnswer: about('What the service answered, byte for byte', {}),
  DryRun: members(
    {
      method: text,
      url: text,
      headers: about('The key is masked', { type: 'object', additionalProperties: text }),
      body: about('The body that would be sent', {}),
    },
    ['method', 'url', 'headers', 'body'],
  ),
  OperationList: members({ operations: arrayOf(members(OPERATION, Object.keys(OPERATION))) }, ['operations']),
  OperationTrace: members(
    {
      operation: ref('Operacion'),
      timeline: arrayOf(
        everyOf<TimelineEntry>({
          at: about('Empty where it is not known', text),
          what: oneOf(['state', 'event', 'delivery']),
          outcome: text,
          detail: text,
        }),
      ),
    },
    ['operation', 'timeline'],
  ),
  Request: members(
    { ...REQUEST, ...SENT, method: asSent, amount: asSent, currency: asSent, reference: asSent },
    [...Object.keys(REQUEST), 'method', 'amount', 'currency', 'reference'],
  ),
  RequestList: members({ requests: arrayOf(ref('Request')) }, ['requests']),
  RequestWhole: members({ ...REQUEST, ...SENT, body: {} }, [...Object.keys(REQUEST), 'body']),
  RequestResolved: members({ idempotency_key: textOrNull, operation: textOrNull, status: textOrNull }, [
    ...['idempotency_key', 'operation', 'status'],
  ]),
  RequestsForgotten: members({ forgotten: count }, ['forgotten']),
  FeedPosition: everyOf<SyncReport>({
    events: about('Read now', count),
    operations: about('Known now', count),
    cursor: textOrNull,
  }),
  ReconciliationFinding: everyOf<ShownFinding>({
    class: oneOf(FINDING_CLASSES),
    by: oneOfOrNull(MATCH_KEYS),
    detail: text,
    here: arrayOf(members(LINE, Object.keys(LINE))),
    there: arrayOf(members(COMPARED, Object.keys(COMPARED))),
    beside: named,
    tolerances: arrayOf(text),
    suggestion: named,
    next_command: textOrNull,
  }),
  ReconciliationSummary: about(
    'The last line',
    everyOf<ReturnType<typeof shownSummary>>({
      ...{ agrees: flag, lines: count, operations: count },
      outside: members({ lines: count, operations: count }, ['lines', 'operations']),
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
          there: about('Confirmed', side),
          ...{ pending: side, failed: side },
        }),
      ),
    }),
  ),
  DeliveryHeaders: members(
    Object.fromEntries(Object.values(DELIVERY_HEADERS).map((name) => [name, text])),
    Object.values(DELIVERY_HEADERS),
  ),
  SignedEvent: about('An Evento where the service signed it; its own bytes', {
    anyOf: [
      ref('Evento'),
      everyOf<DeliveredEvent>({ id: text, type: text, occurred_at: text, data: { type: 'object' } }),
    ],
  }),
  TriggeredDeliveries: members(
    {
      deliveries: arrayOf(
        members(
          {
            event_id: text,
            type: oneOf(EVENT_TYPES),
            status: about('What the receiver answered; null for no answer', { type: ['integer', 'null'] }),
            error: textOrNull,
            answer: about('The first line of its answer; absent for none', text),
          },
          ['event_id', 'type', 'status', 'error'],
        ),
      ),
    },
    ['deliveries'],
  ),
} satisfies Partial<Readonly<Record<PrintedName, JsonSchema>>>;
