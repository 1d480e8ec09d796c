import { OPERATION_SOURCES } from './operations/found-operation.js';
import type { TimelineEntry } from './operations/trace.js';
import { arrayOf, type JsonSchema, everyOf, ref } from '../contract/openapi/json-schema.js';
import type { OwnShapeName } from '../command/shape-names.js';
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
  text,
  textOrNull,
} from '../contract/openapi/words.js';

const OPERATION = {
  ...{ id: text, type: direction, status: text },
  code: describe('Why it failed, or what it waits for', textOrNull),
  ...{ failure_reason: textOrNull, amount: amountOrNull, currency: textOrNull, method: textOrNull },
  ...{ reference: textOrNull, bank_reference: textOrNull, created_at: momentOrNull },
  ...{ confirmed_at: momentOrNull, occurred_at: describe('When its event occurred', momentOrNull) },
  source: describe('How it is known here', oneOf(OPERATION_SOURCES)),
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
const SENDER = { sent_by: text, under_way_until: momentOrNull };
const MAY_BE_ABSENT = ['sent_by', 'under_way_until'] as const;

const value = describe('As it was sent; null where it is not known', {});

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
} satisfies Partial<Readonly<Record<OwnShapeName, JsonSchema>>>;
