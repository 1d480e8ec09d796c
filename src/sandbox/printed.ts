import { ENDPOINT_IDS } from '../contract/endpoints.js';
import { FAILURE_CODES } from '../contract/failures.js';
import type { DueChange } from './control/whole.js';
import type { LogRow, LogEntry, ExchangeSide } from './log/logged.js';
import type { Payment } from './machine/passage.js';
import { DELIVERY_STATUSES } from './store/deliveries.js';
import { DELIVERY_FAULTS, FAULT_KINDS, type FaultMembers } from './store/faults.js';
import type { Counts } from './store/store.js';
import { arrayOf, type JsonSchema, members, everyOf, nullOr, ref } from '../contract/openapi/json-schema.js';
import type { OwnShapeName } from '../command/shape-names.js';
import { describe, amount, amountOrNull, recordOf, count, countOrNull } from '../contract/openapi/words.js';
import { direction, environment, flag, moment, momentOrNull, oneOf } from '../contract/openapi/words.js';
import { text, textOrNull } from '../contract/openapi/words.js';

const COUNTS: Readonly<Record<keyof Counts, JsonSchema>> = {
  ...{ companies: count, operations: count, events: count, pending_deliveries: count, armed_faults: count },
};

const statusOrNull = { type: ['integer', 'null'] } as const;

const LOGGED_REQUEST: Readonly<Record<keyof LogRow, JsonSchema>> = {
  ...{ id: count, at: describe('By the clock of the sandbox', moment) },
  wall_at: describe('By the clock of the machine', moment),
  ...{ method: text, path: text, endpoint: textOrNull, company: textOrNull },
  status: describe('Null where a fault cut the connection', statusOrNull),
  ...{ ms: { type: 'number' }, idempotency_key: textOrNull, replayed: flag, fault: textOrNull },
  refused: describe('Why, in a sentence', textOrNull),
};

const loggedSide = everyOf<ExchangeSide>(
  { headers: recordOf(text), body: text, encoding: { const: 'base64' }, truncated: flag },
  ['encoding', 'truncated'],
);

const attempt = everyOf(
  {
    at: moment,
    status: statusOrNull,
    error: textOrNull,
    request: describe(
      'Null in an attempt of an older version',
      nullOr(members({ headers: recordOf(text), body: text })),
    ),
    answer: nullOr(members({ status: statusOrNull, headers: recordOf(text), body: text })),
    ms: { type: ['number', 'null'] },
    fault: oneOf(DELIVERY_FAULTS),
  },
  ['fault'],
);

const DELIVERY = {
  ...{ id: text, event_id: text, type: ref('TipoDeEvento'), operation_id: textOrNull, reference: textOrNull },
  ...{ amount: amountOrNull, currency: textOrNull, url: text, status: oneOf(DELIVERY_STATUSES) },
  result: describe('The last attempt in a word: delivered, or what went wrong', textOrNull),
  attempts: arrayOf(attempt),
  next_attempt_at: momentOrNull,
  fault: textOrNull,
};

const payment = everyOf<Payment>(
  {
    ...{ method: text, currency: text, amount, bank_code: text, phone: text },
    document: everyOf({ type: text, number: text }),
  },
  ['phone', 'document'],
);

const OPERATION = {
  ...{ id: text, environment, company: text, direction, operation: ref('Operacion') },
  waits_for: describe(
    'Null where it is final',
    nullOr(
      everyOf(
        {
          ...{ kind: oneOf(['code', 'payment', 'bank']), until: momentOrNull, payment },
          paid_first: describe('The older pay-in that gets the payment; null for this one', {
            type: ['object', 'null'],
          }),
        },
        ['payment', 'paid_first'],
      ),
    ),
  ),
};

const FAULT: Readonly<Record<keyof FaultMembers, JsonSchema>> = {
  ...{ status: count, retry_after: count, after: flag, delay_ms: count, pending: flag },
  failure: everyOf({ code: oneOf(FAILURE_CODES), reason: text }),
};
const faults: readonly JsonSchema[] = [
  members(
    {
      ...{ id: count, route: oneOf(['*', ...ENDPOINT_IDS]), kind: oneOf(FAULT_KINDS) },
      ...{ ...FAULT, skip: count, match: text, remaining: count },
    },
    ['id', 'route', 'kind', 'remaining'],
  ),
  everyOf({ id: count, delivery: oneOf(DELIVERY_FAULTS), remaining: count, until: momentOrNull }),
];

const next = describe('For --after or --before of the next page; null at its end', textOrNull);

export const SANDBOX_SHAPES = {
  SandboxAttribution: everyOf({
    attributed_to: describe('The pay-in that got the money; null for none', textOrNull),
  }),
  SandboxClock: members(
    {
      now: moment,
      next_due: describe(
        'What time alone brings next; absent after advance',
        nullOr(everyOf<DueChange>({ at: moment, what: text, reference: text }, ['reference'])),
      ),
      expired_payins: describe('Pay-ins that expired on the way; absent for none', count),
      settled_operations: describe('Operations that the bank answered on the way; absent for none', count),
      due_deliveries: describe('Deliveries whose attempt fell due on the way; absent for none', count),
    },
    ['now'],
  ),
  SandboxDelivery: everyOf(DELIVERY),
  SandboxDeliveries: members({ deliveries: arrayOf(ref('SandboxDelivery')), next }, ['deliveries']),
  SandboxFaultArmed: everyOf({ armed: describe('How many it meets', count) }),
  SandboxFaults: everyOf({ faults: arrayOf({ anyOf: faults }) }),
  SandboxFaultsCleared: members(
    { cleared: count, released: describe('Deliveries that were held; absent for none', count) },
    ['cleared'],
  ),
  SandboxImported: everyOf({ now: moment, api_key: text, ...COUNTS }),
  SandboxKey: everyOf({ api_key: text }),
  SandboxOperation: everyOf(OPERATION),
  SandboxOperations: everyOf({ operations: arrayOf(ref('SandboxOperation')), next }),
  SandboxOperationWhole: everyOf({
    ...{ ...OPERATION, requests: describe('The numbers of those about it', arrayOf(count)) },
    events: arrayOf(everyOf({ id: text, type: ref('TipoDeEvento'), occurred_at: moment })),
    deliveries: describe('Their ids', arrayOf(text)),
  }),
  SandboxPing: everyOf({ delivery_id: text }),
  SandboxReady: everyOf(
    {
      event: describe('running, with --open, of one that runs already', oneOf(['ready', 'running'])),
      ...{ base_url: text, sandbox_base_url: text, control_url: text, api_key: text },
      code: describe('Absent of one that runs already', text),
      pid: count,
    },
    ['code'],
  ),
  SandboxRequest: everyOf<LogRow>(LOGGED_REQUEST),
  SandboxRequests: everyOf({ requests: arrayOf(ref('SandboxRequest')), next: countOrNull }),
  SandboxRequestWhole: everyOf<LogEntry>({
    ...LOGGED_REQUEST,
    operation: textOrNull,
    request: loggedSide,
    answer: loggedSide,
  }),
  SandboxReset: everyOf({ reset: { const: true } }),
  SandboxState: describe(
    'svc sandbox export --schema prints all of it',
    everyOf({ svc_sandbox_state: { const: 1 }, now: moment, companies: { type: 'array' } }),
  ),
  SandboxStatus: everyOf({ now: moment, code: text, ...COUNTS }),
} satisfies Partial<Readonly<Record<OwnShapeName, JsonSchema>>>;
