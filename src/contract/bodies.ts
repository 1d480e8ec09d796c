/** The request bodies that are judged as a whole (sections 2.2 to 2.4, 6). */
import { LIMITS } from './limits.js';
import { METHOD_CODES } from './methods.js';
import { AMOUNT_PATTERN } from './money.js';
import { PURPOSES } from './operation.js';
import { anyObject, integer, object, oneOf, optional, text, textLike, type Shaped } from './shape.js';

const amount = textLike(AMOUNT_PATTERN);
const country = textLike(/^[A-Za-z]{2}$/);
const currency = textLike(/^[A-Za-z]{3}$/);
const method = oneOf(METHOD_CODES);
const metadata = anyObject;
const document = object({ type: optional(text), number: optional(text) });

const payer = object({
  account_number: optional(text),
  account_type: optional(oneOf(['mobile', 'account'])),
  bank_code: optional(text),
  document: optional(document),
  email: optional(text),
  name: optional(text),
  phone: optional(text),
});

const beneficiary = object({
  account_number: optional(text),
  bank_code: optional(text),
  document: optional(document),
  name: optional(text),
});

const mandate = object({
  contract_date: optional(text),
  contract_id: optional(textLike(/^[A-Za-z0-9]{1,30}$/)),
});

const common = {
  amount,
  country,
  currency,
  method,
  reference: optional(text),
  metadata: optional(metadata),
};

export const newPayin = object({
  ...common,
  payer,
  expires_in_hours: optional(integer(1, LIMITS.windowMaxHours)),
  mandate: optional(mandate),
});
export type NewPayin = Shaped<typeof newPayin>;

export const newPayout = object({ ...common, beneficiary, purpose: optional(oneOf(PURPOSES)) });
export type NewPayout = Shaped<typeof newPayout>;

export const webhookEndpoint = object({ url: text });
