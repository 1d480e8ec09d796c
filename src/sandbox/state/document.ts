/** The document that a sandbox is kept in: its form, which is also its JSON schema, and what a document of that form holds. */
import { ENVIRONMENTS, SCOPES, type Environment, type Scope } from '../../contract/access.js';
import { EVENT_TYPES, type EventType } from '../../contract/events.js';
import { LIMITS } from '../../contract/limits.js';
import { FAILURE_CODES, type FailureCode, type FailureReason } from '../../contract/failures.js';
import { CREATORS, DIRECTIONS, METHOD_CODES, type Creator } from '../../contract/operation.js';
import type { Operation } from '../../contract/operation-members.js';
import { AMOUNT_PATTERN } from '../../contract/money.js';
import { FAULT_FORM, type FaultState } from './fault-state.js';
import { NOT_ANSWERED_REASONS } from '../../runtime/transport.js';
import { DELIVERY_MARKS, type DeliveryMark, type StoredAttempt } from '../store/deliveries.js';
import { DELIVERY_FAULTS } from '../store/faults.js';
import {
  anyMembers,
  anyText,
  exactTime,
  listOf,
  mapForm,
  numberForm,
  objectOf,
  optionalForm,
  orNull,
  textForm,
  time,
  uuid,
  wholeForm,
  word,
  yesOrNo,
  type Form,
} from './form.js';

/** The newest number of the form; a document says which one it has. */
export const STATE_VERSION = 1;

/** A larger document is refused before it is read: it would take several times as much memory. */
export const STATE_MAX_BYTES = 128 * 1024 * 1024;

/** Where a sandbox hands its state out and takes one. */
export const STATE_TARGET = '/_control/state';

const company = textForm('1 to 64 printable characters', /^[ -~\u00a0-\uffff]{1,64}$/);
const environment = word(ENVIRONMENTS);
const money = textForm('an amount such as -12.50', /^-?[0-9]{1,40}(\.[0-9]{1,6})?$/);
const counter = wholeForm(0, 999_999_999_999_999);
const hex32 = '64 hexadecimal digits in lower case';

const failure = objectOf({ code: word(FAILURE_CODES), reason: anyText, message: anyText });
const partText = orNull(anyText);

/** As the service answers it, whole. */
const operation = objectOf({
  id: uuid,
  type: word(DIRECTIONS),
  country: textForm('two capital letters', /^[A-Z]{2}$/),
  currency: textForm('three capital letters', /^[A-Z]{3}$/),
  method: word(METHOD_CODES),
  amount: textForm('an amount such as 1500.50', AMOUNT_PATTERN),
  status: word(['pending', 'confirmed', 'failed']),
  pending_reason: orNull(word(['awaiting_code', 'awaiting_payment', 'processing'])),
  code_expires_at: optionalForm(time),
  expires_at: optionalForm(orNull(time)),
  bank_reference: orNull(textForm('eight digits or more', /^[0-9]{8,15}$/)),
  confirmed_at: optionalForm(time),
  failure: orNull(failure),
  reference: optionalForm(anyText),
  metadata: anyMembers,
  purpose: optionalForm(word(['remittance', 'payroll'])),
  concept: anyText,
  created_by: word(CREATORS),
  created_at: time,
  updated_at: time,
});

const internal = objectOf(
  {
    document_type: partText,
    document_number: partText,
    phone: partText,
    bank_code: partText,
    resends: wholeForm(0, LIMITS.codeResends),
    code_expires_at: orNull(exactTime),
    due_at: orNull(exactTime),
    verdict: orNull(
      objectOf({
        status: word(['confirmed', 'failed', 'pending']),
        code: optionalForm(word(FAILURE_CODES)),
        reason: optionalForm(anyText),
      }),
    ),
    settles_on_lookup: yesOrNo,
  },
  'What callers never see: who is on the other side, and what will happen by itself.',
);

const body = { headers: mapForm(anyText), body: anyText };
const attempt = objectOf({
  at: time,
  status: orNull(wholeForm(100, 999)),
  error: orNull(anyText),
  headers: optionalForm(mapForm(anyText)),
  answer: optionalForm(
    orNull(objectOf({ ...body, encoding: optionalForm(word(['base64'])), truncated: optionalForm(yesOrNo) })),
  ),
  ms: optionalForm(numberForm),
  reason: optionalForm(word(NOT_ANSWERED_REASONS)),
  fault: optionalForm(word(DELIVERY_FAULTS)),
});

export const STATE_FORM: Form = objectOf({
  svc_sandbox_state: word([STATE_VERSION]),
  now: exactTime,
  moved_until: optionalForm(orNull(exactTime)),
  api_key: optionalForm(
    textForm('svc_test_ and 48 hexadecimal digits in lower case', /^svc_test_[0-9a-f]{48}$/),
  ),
  cursor_secret: optionalForm(textForm(hex32, /^[0-9a-f]{64}$/)),
  bank_references: optionalForm(objectOf({ sandbox: optionalForm(counter), live: optionalForm(counter) })),
  companies: listOf(
    objectOf({
      name: company,
      environment,
      keys: optionalForm(
        listOf(
          objectOf({
            key: textForm(
              'a key that begins with svc_test_, or with svc_live_sandbox_ in live',
              /^svc_[a-z]+_[\x21-\x7e]{1,500}$/,
            ),
            scopes: optionalForm(listOf(word(SCOPES))),
            created_by: optionalForm(word(CREATORS)),
          }),
        ),
      ),
      balances: optionalForm(
        listOf(
          objectOf({
            currency: textForm('three capital letters', /^[A-Z]{3}$/),
            available: money,
            reserved: money,
          }),
        ),
      ),
      idempotency: optionalForm(
        listOf(
          objectOf({
            key: textForm('8 to 128 printable characters', /^[\x21-\x7e][\x20-\x7e]{6,126}[\x21-\x7e]$/),
            operation: orNull(uuid),
            fingerprint: textForm(hex32, /^[0-9a-f]{64}$/),
            expires_at: exactTime,
          }),
        ),
      ),
      webhook_endpoints: optionalForm(
        listOf(
          objectOf({
            id: uuid,
            url: anyText,
            secret: textForm('whsec_ and printable characters', /^whsec_[\x21-\x7e]{1,256}$/),
            created_at: time,
            replaced_at: orNull(exactTime),
          }),
        ),
      ),
    }),
  ),
  operations: optionalForm(listOf(objectOf({ company, environment, operation, internal }))),
  events: optionalForm(
    listOf(
      objectOf({
        id: uuid,
        type: word(EVENT_TYPES.filter((type) => type !== 'test.ping')),
        occurred_at: time,
        operation: uuid,
        sequence: optionalForm(wholeForm(1, 281_474_976_710_655)),
      }),
    ),
  ),
  deliveries: optionalForm(
    listOf(
      objectOf({
        id: uuid,
        company,
        environment,
        event: uuid,
        type: word(EVENT_TYPES),
        body: optionalForm(anyText),
        url: anyText,
        status: word(['pending', 'delivered', 'exhausted']),
        attempts: listOf(attempt),
        wait: wholeForm(0, 1000),
        next_attempt_at: orNull(exactTime),
        fault: optionalForm(word(DELIVERY_MARKS)),
        behind: optionalForm(uuid),
      }),
    ),
  ),
  faults: optionalForm(listOf(FAULT_FORM)),
});

/** The schema of every document that `svc sandbox export` writes. */
export function stateSchema(): string {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'sandbox-state.schema.json',
    title: 'A sandbox of svc, kept',
    ...STATE_FORM.schema,
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** A document of that form. What is optional is left out by hands alone. */
export interface StateDocument {
  readonly now: string;
  readonly moved_until?: string | null;
  readonly api_key?: string;
  readonly cursor_secret?: string;
  readonly bank_references?: Readonly<Partial<Record<Environment, number>>>;
  readonly companies: readonly CompanyState[];
  readonly operations?: readonly OperationState[];
  readonly events?: readonly EventState[];
  readonly deliveries?: readonly StateDelivery[];
  readonly faults?: readonly FaultState[];
}

export interface CompanyState {
  readonly name: string;
  readonly environment: Environment;
  readonly keys?: readonly {
    readonly key: string;
    readonly scopes?: readonly Scope[];
    readonly created_by?: Creator;
  }[];
  readonly balances?: readonly {
    readonly currency: string;
    readonly available: string;
    readonly reserved: string;
  }[];
  readonly idempotency?: readonly {
    readonly key: string;
    readonly operation: string | null;
    readonly fingerprint: string;
    readonly expires_at: string;
  }[];
  readonly webhook_endpoints?: readonly {
    readonly id: string;
    readonly url: string;
    readonly secret: string;
    readonly created_at: string;
    readonly replaced_at: string | null;
  }[];
}

export interface OperationState {
  readonly company: string;
  readonly environment: Environment;
  readonly operation: Operation;
  readonly internal: {
    readonly document_type: string | null;
    readonly document_number: string | null;
    readonly phone: string | null;
    readonly bank_code: string | null;
    readonly resends: number;
    readonly code_expires_at: string | null;
    readonly due_at: string | null;
    readonly verdict: {
      readonly status: 'confirmed' | 'failed' | 'pending';
      readonly code?: FailureCode;
      readonly reason?: FailureReason;
    } | null;
    readonly settles_on_lookup: boolean;
  };
}

export interface EventState {
  readonly id: string;
  readonly type: EventType;
  readonly occurred_at: string;
  readonly operation: string;
  readonly sequence?: number;
}

export interface StateDelivery {
  readonly id: string;
  readonly company: string;
  readonly environment: Environment;
  readonly event: string;
  readonly type: EventType;
  readonly body?: string;
  readonly url: string;
  readonly status: 'pending' | 'delivered' | 'exhausted';
  readonly attempts: readonly StoredAttempt[];
  readonly wait: number;
  readonly next_attempt_at: string | null;
  readonly fault?: DeliveryMark;
  readonly behind?: string;
}
