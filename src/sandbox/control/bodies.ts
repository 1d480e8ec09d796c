/** The bodies of the control api as schemas. */
import * as z from 'zod/mini';
import { ENVIRONMENTS, SCOPES } from '../../contract/access.js';
import { ENDPOINT_IDS } from '../../contract/endpoints.js';
import { FAILURE_CODES } from '../../contract/failures.js';
import { AMOUNT_PATTERN } from '../../contract/money.js';
import { FAULT_KINDS } from '../store/faults.js';

const INCOMING = ['incoming_mobile_payment', 'incoming_transfer'] as const;
const COUNT_MAX = 1_000_000;
const DELAY_MAX_MS = 3_600_000;

const text = z.string().check(z.minLength(1));
/** Printable, so that it can stand in a list and in a message. */
const company = z.string().check(z.regex(/^[^\p{C}]{1,64}$/u));
const environment = z.enum(ENVIRONMENTS);

/** Forward only: what has happened has happened. */
export const clockChange = z.strictObject({ advance_seconds: z.number().check(z.nonnegative()) });

/** What a payment must have is asked once it is known whether it is like the one that the pay-in `for` waits for. */
export const payment = z.strictObject({
  for: z.optional(text),
  method: z.optional(z.enum(INCOMING)),
  currency: z.optional(z.string().check(z.regex(/^[A-Za-z]{3}$/))),
  amount: z.optional(z.string().check(z.regex(AMOUNT_PATTERN))),
  bank_code: z.optional(text),
  phone: z.optional(text),
  document: z.optional(z.strictObject({ type: text, number: text })),
});

export const newKey = z.strictObject({
  company: z.optional(company),
  scopes: z.optional(z.array(z.enum(SCOPES))),
  environment: z.optional(environment),
});

export const ping = z.strictObject({ company: z.optional(company), environment: z.optional(environment) });

export const newFault = z.strictObject({
  route: z.enum(['*', ...ENDPOINT_IDS]),
  kind: z.optional(z.enum(FAULT_KINDS)),
  status: z.optional(z.int().check(z.minimum(300), z.maximum(599))),
  failure: z.optional(z.strictObject({ code: z.enum(FAILURE_CODES), reason: z.optional(text) })),
  count: z.optional(z.int().check(z.minimum(1), z.maximum(COUNT_MAX))),
  delay_ms: z.optional(z.int().check(z.minimum(0), z.maximum(DELAY_MAX_MS))),
});

export const nothing = z.strictObject({});
