/** This file loads zod, so import it only to read a state or to print the schema. */
import * as z from 'zod/mini';
import { ENVIRONMENTS, SCOPES } from '../../contract/access.js';
import { ENDPOINT_IDS } from '../../contract/endpoints.js';
import { EVENT_TYPES } from '../../contract/events.js';
import { FAILURE_CODES, type FailureReason } from '../../contract/failures.js';
import { LIMITS } from '../../contract/limits.js';
import { AMOUNT_PATTERN } from '../../contract/money.js';
import { CREATORS, DIRECTIONS, METHOD_CODES } from '../../contract/operation.js';
import { NOT_ANSWERED_REASONS } from '../../runtime/transport.js';
import { EXACT_TIME, readTime } from '../control/call.js';
import { DELIVERY_MARKS, DELIVERY_STATUSES } from '../store/deliveries.js';
import { DELIVERY_FAULTS, FAULT_BOUNDS, FAULT_KINDS } from '../store/faults.js';
import { type Findings, FINDINGS_MAX } from './findings.js';
import { STATE_VERSION } from './writing.js';

/** `pattern` must be valid in JSON Schema too, because `stateSchema` prints it. */
function textLike(description: string, pattern: RegExp) {
  const error = `Must be ${description}.`;
  return z.string(error).check(z.regex(pattern, { error, abort: true }));
}

function wholeNumber(min: number, max: number) {
  const error = `Must be a whole number from ${String(min)} to ${String(max)}.`;
  return z.int({ error, abort: true }).check(z.minimum(min, error), z.maximum(max, error));
}

const oneOf = <const Word extends string>(words: readonly Word[]) =>
  z.enum(words, `Must be ${words.map((one) => JSON.stringify(one)).join(' or ')}.`);

function object<Members extends z.core.$ZodShape>(members: Members) {
  const unknownNameText = `Unknown name. Known names: ${Object.keys(members).join(', ')}.`;
  return z.strictObject(members, {
    error: ({ code }) => (code === 'unrecognized_keys' ? unknownNameText : 'Must be an object.'),
  });
}

/** Keeps the first `FINDINGS_MAX` issues, because zod fails to join a hundred thousand. */
const dropLaterIssues = z.check(({ issues }) => void issues.splice(FINDINGS_MAX), { when: () => true });

const list = <Element extends z.core.SomeType>(element: Element) =>
  z.array(element, 'Must be a list.').check(dropLaterIssues);

const map = <Value extends z.core.SomeType>(value: Value) =>
  z.record(z.string(), value, 'Must be an object.').check(dropLaterIssues);

const optional = z.exactOptional;
const orNull = z.nullable;

const optionalList = <Members extends z.core.$ZodShape>(members: Members) => optional(list(object(members)));

function moment(example: string, pattern: RegExp) {
  const description = `a time such as ${example}`;
  const isTime = (text: string): boolean => readTime(text) !== null;
  return textLike(description, pattern).check(z.refine(isTime, `Must be ${description}.`));
}

const time = moment('2026-11-03T14:30:00Z', /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/);
const exactTime = moment('2026-11-03T14:30:00.250Z', EXACT_TIME);
const anyText = z.string('Must be a text.');
const yesOrNo = z.boolean('Must be true or false.');
const uuid = textLike(
  'a uuid in lower case',
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
);
const hex32 = textLike('64 hexadecimal digits in lower case', /^[0-9a-f]{64}$/);
const companyName = textLike('1 to 64 printable characters', /^[ -~\u00a0-\uffff]{1,64}$/);
const environment = oneOf(ENVIRONMENTS);
const currency = textLike('three capital letters', /^[A-Z]{3}$/);
const money = textLike('an amount such as -12.50', /^-?[0-9]{1,40}(\.[0-9]{1,6})?$/);
const counter = wholeNumber(0, 999_999_999_999_999);
const reason = anyText as z.ZodMiniType<FailureReason>;

const operation = object({
  id: uuid,
  type: oneOf(DIRECTIONS),
  country: textLike('two capital letters', /^[A-Z]{2}$/),
  currency,
  method: oneOf(METHOD_CODES),
  amount: textLike('an amount such as 1500.50', AMOUNT_PATTERN),
  status: oneOf(['pending', 'confirmed', 'failed']),
  pending_reason: orNull(oneOf(['awaiting_code', 'awaiting_payment', 'processing'])),
  code_expires_at: optional(time),
  expires_at: optional(orNull(time)),
  bank_reference: orNull(textLike('eight digits or more', /^[0-9]{8,15}$/)),
  confirmed_at: optional(time),
  failure: orNull(object({ code: oneOf(FAILURE_CODES), reason, message: anyText })),
  reference: optional(anyText),
  metadata: map(z.unknown()),
  purpose: optional(oneOf(['remittance', 'payroll'])),
  concept: anyText,
  created_by: oneOf(CREATORS),
  created_at: time,
  updated_at: time,
});

const internal = object({
  document_type: orNull(anyText),
  document_number: orNull(anyText),
  phone: orNull(anyText),
  bank_code: orNull(anyText),
  resends: wholeNumber(0, LIMITS.codeResends),
  code_expires_at: orNull(exactTime),
  due_at: orNull(exactTime),
  verdict: orNull(
    object({
      status: oneOf(['confirmed', 'failed', 'pending']),
      code: optional(oneOf(FAILURE_CODES)),
      reason: optional(reason),
    }),
  ),
  settles_on_lookup: yesOrNo,
}).check(z.describe('What callers never see: who is on the other side, and what will happen by itself.'));

const companyState = object({
  name: companyName,
  environment,
  keys: optionalList({
    key: textLike(
      'a key that begins with svc_test_, or with svc_live_sandbox_ in live',
      /^svc_[a-z]+_[\x21-\x7e]{1,500}$/,
    ),
    scopes: optional(list(oneOf(SCOPES))),
    created_by: optional(oneOf(CREATORS)),
  }),
  balances: optionalList({ currency, available: money, reserved: money }),
  idempotency: optionalList({
    key: textLike('8 to 128 printable characters', /^[\x21-\x7e][\x20-\x7e]{6,126}[\x21-\x7e]$/),
    operation: orNull(uuid),
    fingerprint: hex32,
    expires_at: exactTime,
  }),
  webhook_endpoints: optionalList({
    id: uuid,
    url: anyText,
    secret: textLike('whsec_ and printable characters', /^whsec_[\x21-\x7e]{1,256}$/),
    created_at: time,
    replaced_at: orNull(exactTime),
  }),
});

const operationState = object({ company: companyName, environment, operation, internal });

const eventState = object({
  id: uuid,
  type: oneOf(EVENT_TYPES.filter((type) => type !== 'test.ping')),
  occurred_at: time,
  operation: uuid,
  sequence: optional(wholeNumber(1, 281_474_976_710_655)),
});

const attempt = object({
  at: time,
  status: orNull(wholeNumber(100, 999)),
  error: orNull(anyText),
  headers: optional(map(anyText)),
  answer: optional(
    orNull(
      object({
        headers: map(anyText),
        body: anyText,
        encoding: optional(oneOf(['base64'])),
        truncated: optional(yesOrNo),
      }),
    ),
  ),
  ms: optional(z.number('Must be a number, 0 or more.').check(z.minimum(0, 'Must be a number, 0 or more.'))),
  reason: optional(oneOf(NOT_ANSWERED_REASONS)),
  fault: optional(oneOf(DELIVERY_FAULTS)),
});

const deliveryState = object({
  id: uuid,
  company: companyName,
  environment,
  event: uuid,
  type: oneOf(EVENT_TYPES),
  body: optional(anyText),
  url: anyText,
  status: oneOf(DELIVERY_STATUSES),
  attempts: list(attempt),
  wait: wholeNumber(0, 1000),
  next_attempt_at: orNull(exactTime),
  fault: optional(oneOf(DELIVERY_MARKS)),
  behind: optional(uuid),
});

const faultState = object({
  route: optional(oneOf(['*', ...ENDPOINT_IDS])),
  kind: optional(oneOf(FAULT_KINDS)),
  status: optional(wholeNumber(...FAULT_BOUNDS.status)),
  retry_after: optional(wholeNumber(...FAULT_BOUNDS.retry_after)),
  after: optional(yesOrNo),
  delay_ms: optional(wholeNumber(...FAULT_BOUNDS.delay_ms)),
  pending: optional(yesOrNo),
  failure: optional(object({ code: oneOf(FAILURE_CODES), reason })),
  skip: optional(wholeNumber(...FAULT_BOUNDS.skip)),
  match: optional(anyText),
  delivery: optional(oneOf(DELIVERY_FAULTS)),
  until: optional(orNull(exactTime)),
  count: optional(wholeNumber(...FAULT_BOUNDS.count)),
});

const state = object({
  svc_sandbox_state: z.literal(STATE_VERSION, `Must be ${String(STATE_VERSION)}.`),
  now: exactTime,
  moved_until: optional(orNull(exactTime)),
  api_key: optional(textLike('svc_test_ and 48 hexadecimal digits in lower case', /^svc_test_[0-9a-f]{48}$/)),
  cursor_secret: optional(hex32),
  bank_references: optional(object({ sandbox: optional(counter), live: optional(counter) })),
  companies: list(companyState),
  operations: optional(list(operationState)),
  events: optional(list(eventState)),
  deliveries: optional(list(deliveryState)),
  faults: optional(list(faultState)),
  $schema: optional(anyText),
});

export type StateDocument = z.infer<typeof state>;
export type CompanyState = z.infer<typeof companyState>;
export type OperationState = z.infer<typeof operationState>;
export type EventState = z.infer<typeof eventState>;
export type StateDelivery = z.infer<typeof deliveryState>;
export type FaultState = z.infer<typeof faultState>;

export function checkForm(value: unknown, findings: Findings): asserts value is StateDocument {
  const { error } = z.safeParse(state, value, { reportInput: true });
  for (const issue of error?.issues ?? []) {
    const path = issue.path as (string | number)[];
    if (issue.code === 'unrecognized_keys')
      for (const name of issue.keys) findings.add(issue.message, ...path, name);
    else if (issue.input === undefined)
      findings.add(`"${String(path.at(-1))}" is missing.`, ...path.slice(0, -1));
    else findings.add(issue.message, ...path);
  }
}

export function stateSchema(): string {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'sandbox-state.schema.json',
    title: 'A sandbox of svc, kept',
    ...z.toJSONSchema(state, { target: 'draft-7' }),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}
