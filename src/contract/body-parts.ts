/** The objects in the body of a create, whose members have flags of the form `PATH=VALUE` and columns of their own (sections 2.2 and 2.3). */
import { object, oneOf, optional, text, textLike } from './shape.js';

const document = object({ type: optional(text), number: optional(text) });

export const payer = object({
  account_number: optional(text),
  account_type: optional(oneOf(['mobile', 'account'])),
  bank_code: optional(text),
  document: optional(document),
  email: optional(text),
  name: optional(text),
  phone: optional(text),
});

export const beneficiary = object({
  account_number: optional(text),
  bank_code: optional(text),
  document: optional(document),
  name: optional(text),
});

export const mandate = object({
  contract_date: optional(text),
  contract_id: optional(textLike(/^[A-Za-z0-9]{1,30}$/)),
});
