/** The bodies of the control api. */
import { ENVIRONMENTS, SCOPES } from '../../contract/access.js';
import { ENDPOINT_IDS } from '../../contract/endpoints.js';
import { FAILURE_CODES } from '../../contract/failures.js';
import { AMOUNT_PATTERN } from '../../contract/money.js';
import { CREATORS } from '../../contract/operation.js';
import { integer, list, number, object, oneOf, optional, textLike } from '../../contract/shape.js';
import { FAULT_KINDS } from '../store/faults.js';
import { OPERATION_NAMES } from './routes.js';

const INCOMING = ['incoming_mobile_payment', 'incoming_transfer'] as const;
const COUNT_MAX = 1_000_000;
const RETRY_AFTER_MAX_S = 86_400;
const DELAY_MAX_MS = 3_600_000;

const text = textLike(/./su);
/** Printable, so that it can stand in a list and in a message. */
const company = textLike(/^[^\p{C}]{1,64}$/u);
const environment = oneOf(ENVIRONMENTS);

/** Forward only: what has happened has happened. */
export const clockChange = object({ advance_seconds: number(0) });

/** What a payment must have is asked once it is known whether it is like the one that the pay-in `for` waits for. */
export const payment = object({
  for: optional(text),
  method: optional(oneOf(INCOMING)),
  currency: optional(textLike(/^[A-Za-z]{3}$/)),
  amount: optional(textLike(AMOUNT_PATTERN)),
  bank_code: optional(text),
  phone: optional(text),
  document: optional(object({ type: text, number: text })),
});

export const newKey = object({
  company: optional(company),
  scopes: optional(list(oneOf(SCOPES))),
  environment: optional(environment),
  created_by: optional(oneOf(CREATORS)),
});

export const ping = object({ company: optional(company), environment: optional(environment) });

export const newFault = object({
  route: oneOf(['*', ...ENDPOINT_IDS, ...OPERATION_NAMES]),
  kind: optional(oneOf(FAULT_KINDS)),
  status: optional(integer(300, 599)),
  failure: optional(object({ code: oneOf(FAILURE_CODES), reason: optional(text) })),
  count: optional(integer(1, COUNT_MAX)),
  retry_after: optional(integer(0, RETRY_AFTER_MAX_S)),
  delay_ms: optional(integer(0, DELAY_MAX_MS)),
});

export const nothing = object({});
