/** Lets a payer's money arrive: the oldest pay-in that it matches gets it, or nobody (sections 1 and 3). */
import { isIncoming } from '../../contract/operation.js';
import { AMOUNT_PATTERN } from '../../contract/money.js';
import { object, oneOf, optional, textLike } from '../../contract/shape.js';
import { recordChange } from '../engine/record.js';
import { contextAt } from '../engine/world.js';
import { pay, paymentFor, type Payment } from '../machine/passage.js';
import type { HttpRefusal } from '../message.js';
import { invalid, readBody, type ControlCall, type ControlHandler } from './call.js';

const INCOMING = ['incoming_mobile_payment', 'incoming_transfer'] as const;
const text = textLike(/./su);

/** What a payment must have is asked once it is known whether it is like the one that the pay-in `for` waits for. */
const payment = object({
  for: optional(text),
  method: optional(oneOf(INCOMING)),
  currency: optional(textLike(/^[A-Za-z]{3}$/)),
  amount: optional(textLike(AMOUNT_PATTERN)),
  bank_code: optional(text),
  phone: optional(text),
  document: optional(object({ type: text, number: text })),
});

type Described = { readonly [Name in keyof Payment]?: Payment[Name] | undefined };

const REQUIRED: (keyof Payment)[] = ['method', 'currency', 'amount', 'bank_code'];

export const receivesPayment: ControlHandler = (call) => {
  const wanted = readPayment(call);
  if ('refusal' in wanted) return wanted;
  return JSON.stringify({ attributed_to: attribute(call, wanted) });
};

function attribute({ world, nowMs }: ControlCall, received: Payment): string | null {
  const { operations, companies } = world.store;
  for (const stored of operations.awaiting(received.method, received.currency, received.amount)) {
    const context = contextAt(world, companies.environmentOf(stored.company), nowMs);
    const step = pay(stored.held(), received, context);
    if (step === null) continue;
    recordChange(world, stored, step, nowMs);
    return step.held.operation.id;
  }
  return null;
}

/** The payment that arrives: as described, or as the pay-in `for` waits for it, with what is described changed. */
function readPayment(call: ControlCall): Payment | HttpRefusal {
  const body = readBody(call, payment);
  if ('refusal' in body) return body;
  const { for: id, ...described } = body.value;
  if (id === undefined) return complete(described);
  const stored = call.world.store.operations.findAnywhere(id.toLowerCase());
  if (stored === undefined) return { refusal: 'not_found' };
  const held = stored.held();
  if (!isIncoming(held.operation.method)) return invalid([{ field: 'for', code: 'invalid' }]);
  return complete({ ...paymentFor(held), ...described });
}

/** A payment tells its payer's phone or document: without either it could be anybody's. */
function complete(described: Described): Payment | HttpRefusal {
  const { phone, document } = described;
  const missing = REQUIRED.filter((field) => described[field] === undefined);
  if (phone === undefined && document === undefined) missing.push('phone', 'document');
  if (missing.length > 0) return invalid(missing.map((field) => ({ field, code: 'required' })));
  const { currency = '' } = described;
  return { ...(described as Payment), currency: currency.toUpperCase() };
}
