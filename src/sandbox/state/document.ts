/** The form of a kept sandbox: what a document is checked against, its JSON schema and its types. Zod is loaded with it: only what reads a state imports it. */
import * as z from 'zod/mini';
import { ENVIRONMENTS, SCOPES } from '../../contract/access.js';
import { ENDPOINT_IDS } from '../../contract/endpoints.js';
import { EVENT_TYPES } from '../../contract/events.js';
import { FAILURE_CODES, type FailureReason } from '../../contract/failures.js';
import { LIMITS } from '../../contract/limits.js';
import { AMOUNT_PATTERN } from '../../contract/money.js';
import { CREATORS, DIRECTIONS, METHOD_CODES } from '../../contract/operation.js';
import { NOT_ANSWERED_REASONS } from '../../runtime/transport.js';
import { DELIVERY_MARKS, DELIVERY_STATUSES } from '../store/deliveries.js';
import { FAULT_BOUNDS } from '../store/fault-members.js';
import { DELIVERY_FAULTS, FAULT_KINDS } from '../store/faults.js';
import { type Findings, FINDINGS_MAX } from './findings.js';
import { STATE_VERSION } from './writing.js';

/** @param says completes "Must be" @param pattern of the whole text, as both JSON schema and JavaScript read it */
function textLike(says: string, pattern: RegExp) {
  const error = `Must be ${says}.`;
  return z.string(error).check(z.regex(pattern, { error, abort: true }));
}

function whole(least: number, most: number) {
  const error = `Must be a whole number from ${String(least)} to ${String(most)}.`;
  return z.int({ error, abort: true }).check(z.minimum(least, error), z.maximum(most, error));
}

function word<const Word extends string>(words: readonly Word[]) {
  return z.enum(words, `Must be ${words.map((one) => JSON.stringify(one)).join(' or ')}.`);
}

/** These members and no others. */
function object<Members extends z.core.$ZodShape>(members: Members) {
  const unknown = `Unknown name. Known names: ${Object.keys(members).join(', ')}.`;
  return z.strictObject(members, {
    error: ({ code }) => (code === 'unrecognized_keys' ? unknown : 'Must be an object.'),
  });
}

/** Passes on no more issues than are shown: zod cannot join a hundred thousand of them. */
const firstIssues = z.check<unknown>(({ issues }) => void issues.splice(FINDINGS_MAX), { when: () => true });

function list<Element extends z.core.SomeType>(element: Element) {
  return z.array(element, 'Must be a list.').check(firstIssues);
}

/** Any names, each with such a value. */
function map<Value extends z.core.SomeType>(value: Value) {
  return z.record(z.string(), value, 'Must be an object.').check(firstIssues);
}

const optional = z.exactOptional;
const orNull = z.nullable;

const END_OF_TIME_MS = Date.UTC(9999, 11, 31);

function moment(example: string, pattern: RegExp) {
  const says = `a time such as ${example}`;
  const isMoment = (text: string): boolean => {
    const ms = Date.parse(text);
    // 30 February is read as 2 March: it is not the time that it says.
    return ms >= 0 && ms < END_OF_TIME_MS && new Date(ms).getUTCDate() === Number(text.slice(8, 10));
  };
  return textLike(says, pattern).check(z.refine(isMoment, `Must be ${says}.`));
}

/** To the second, as the service writes it. */
const time = moment('2026-11-03T14:30:00Z', /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/);
/** With milliseconds where there are any, as the clock of a sandbox counts. */
const exactTime = moment(
  '2026-11-03T14:30:00.250Z',
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{3})?Z$/,
);
const anyText = z.string('Must be a text.');
const yesOrNo = z.boolean('Must be true or false.');
const uuid = textLike(
  'a uuid in lower case',
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
);
const hex32 = textLike('64 hexadecimal digits in lower case', /^[0-9a-f]{64}$/);
const company = textLike('1 to 64 printable characters', /^[ -~\u00a0-\uffff]{1,64}$/);
const environment = word(ENVIRONMENTS);
const currency = textLike('three capital letters', /^[A-Z]{3}$/);
const money = textLike('an amount such as -12.50', /^-?[0-9]{1,40}(\.[0-9]{1,6})?$/);
const counter = whole(0, 999_999_999_999_999);
/** Whether it is a reason of its code is checked with the rest of what belongs together. */
const reason = anyText as z.ZodMiniType<FailureReason>;

/** As the service answers it, whole. */
const operation = object({
  id: uuid,
  type: word(DIRECTIONS),
  country: textLike('two capital letters', /^[A-Z]{2}$/),
  currency,
  method: word(METHOD_CODES),
  amount: textLike('an amount such as 1500.50', AMOUNT_PATTERN),
  status: word(['pending', 'confirmed', 'failed']),
  pending_reason: orNull(word(['awaiting_code', 'awaiting_payment', 'processing'])),
  code_expires_at: optional(time),
  expires_at: optional(orNull(time)),
  bank_reference: orNull(textLike('eight digits or more', /^[0-9]{8,15}$/)),
  confirmed_at: optional(time),
  failure: orNull(object({ code: word(FAILURE_CODES), reason, message: anyText })),
  reference: optional(anyText),
  metadata: map(z.unknown()),
  purpose: optional(word(['remittance', 'payroll'])),
  concept: anyText,
  created_by: word(CREATORS),
  created_at: time,
  updated_at: time,
});

const internal = object({
  document_type: orNull(anyText),
  document_number: orNull(anyText),
  phone: orNull(anyText),
  bank_code: orNull(anyText),
  resends: whole(0, LIMITS.codeResends),
  code_expires_at: orNull(exactTime),
  due_at: orNull(exactTime),
  verdict: orNull(
    object({
      status: word(['confirmed', 'failed', 'pending']),
      code: optional(word(FAILURE_CODES)),
      reason: optional(reason),
    }),
  ),
  settles_on_lookup: yesOrNo,
}).check(z.describe('What callers never see: who is on the other side, and what will happen by itself.'));

const companyState = object({
  name: company,
  environment,
  keys: optional(
    list(
      object({
        key: textLike(
          'a key that begins with svc_test_, or with svc_live_sandbox_ in live',
          /^svc_[a-z]+_[\x21-\x7e]{1,500}$/,
        ),
        scopes: optional(list(word(SCOPES))),
        created_by: optional(word(CREATORS)),
      }),
    ),
  ),
  balances: optional(list(object({ currency, available: money, reserved: money }))),
  idempotency: optional(
    list(
      object({
        key: textLike('8 to 128 printable characters', /^[\x21-\x7e][\x20-\x7e]{6,126}[\x21-\x7e]$/),
        operation: orNull(uuid),
        fingerprint: hex32,
        expires_at: exactTime,
      }),
    ),
  ),
  webhook_endpoints: optional(
    list(
      object({
        id: uuid,
        url: anyText,
        secret: textLike('whsec_ and printable characters', /^whsec_[\x21-\x7e]{1,256}$/),
        created_at: time,
        replaced_at: orNull(exactTime),
      }),
    ),
  ),
});

const operationState = object({ company, environment, operation, internal });

const eventState = object({
  id: uuid,
  type: word(EVENT_TYPES.filter((type) => type !== 'test.ping')),
  occurred_at: time,
  operation: uuid,
  sequence: optional(whole(1, 281_474_976_710_655)),
});

const attempt = object({
  at: time,
  status: orNull(whole(100, 999)),
  error: orNull(anyText),
  headers: optional(map(anyText)),
  answer: optional(
    orNull(
      object({
        headers: map(anyText),
        body: anyText,
        encoding: optional(word(['base64'])),
        truncated: optional(yesOrNo),
      }),
    ),
  ),
  ms: optional(z.number('Must be a number, 0 or more.').check(z.minimum(0, 'Must be a number, 0 or more.'))),
  reason: optional(word(NOT_ANSWERED_REASONS)),
  fault: optional(word(DELIVERY_FAULTS)),
});

const deliveryState = object({
  id: uuid,
  company,
  environment,
  event: uuid,
  type: word(EVENT_TYPES),
  body: optional(anyText),
  url: anyText,
  status: word(DELIVERY_STATUSES),
  attempts: list(attempt),
  wait: whole(0, 1000),
  next_attempt_at: orNull(exactTime),
  fault: optional(word(DELIVERY_MARKS)),
  behind: optional(uuid),
});

/** Of requests with `route` and `kind`, or of deliveries with `delivery`. */
const faultState = object({
  route: optional(word(['*', ...ENDPOINT_IDS])),
  kind: optional(word(FAULT_KINDS)),
  status: optional(whole(...FAULT_BOUNDS.status)),
  retry_after: optional(whole(...FAULT_BOUNDS.retry_after)),
  after: optional(yesOrNo),
  delay_ms: optional(whole(...FAULT_BOUNDS.delay_ms)),
  pending: optional(yesOrNo),
  failure: optional(object({ code: word(FAILURE_CODES), reason })),
  skip: optional(whole(...FAULT_BOUNDS.skip)),
  match: optional(anyText),
  delivery: optional(word(DELIVERY_FAULTS)),
  until: optional(orNull(exactTime)),
  count: optional(whole(...FAULT_BOUNDS.count)),
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
});

/** Optional members are for files written by hand: `sandbox export` writes nearly all of them. */
export type StateDocument = z.infer<typeof state>;
export type CompanyState = z.infer<typeof companyState>;
export type OperationState = z.infer<typeof operationState>;
export type EventState = z.infer<typeof eventState>;
export type StateDelivery = z.infer<typeof deliveryState>;
export type FaultState = z.infer<typeof faultState>;

/** Notes what is wrong with the form of a document. @param value as JSON has it */
export function checkForm(value: unknown, findings: Findings): asserts value is StateDocument {
  const { error } = z.safeParse(state, value, { reportInput: true });
  for (const issue of error?.issues ?? []) {
    const path = issue.path as (string | number)[];
    if (issue.code === 'unrecognized_keys')
      for (const name of issue.keys) findings.add(issue.message, ...path, name);
    // JSON has no undefined: it stands for a member that is missing.
    else if (issue.input === undefined)
      findings.add(`"${String(path.at(-1))}" is missing.`, ...path.slice(0, -1));
    else findings.add(issue.message, ...path);
  }
}

/** The schema of every document that `svc sandbox export` writes. */
export function stateSchema(): string {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'sandbox-state.schema.json',
    title: 'A sandbox of svc, kept',
    ...z.toJSONSchema(state, { target: 'draft-7' }),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}
