/** Payments that arrive from outside: the money a payer sends on their own, as the control route takes it. */
import { expect } from 'vitest';
import type { Answered } from './answered.js';
import { validBody, type Json } from './bodies.js';
import type { World } from './world.js';

/** The payment that settles an incoming pay-in made from the valid body of its method; `changes` replace parts, undefined removes. */
export async function paymentFor(world: World, payin: Answered, changes: Json = {}): Promise<Json> {
  const { payer } = (await validBody(world, payin.method)) as { payer: Json };
  const { bank_code, phone, document } = payer;
  const { method, currency, amount } = payin;
  return { method, currency, amount, bank_code, phone, document, ...changes };
}

/** Lets that payment arrive; resolves to the pay-in it was attributed to, or null. */
export async function pay(world: World, payin: Answered, changes?: Json): Promise<string | null> {
  const reply = await world.control('POST', '/payments', await paymentFor(world, payin, changes));
  expect(reply.status).toBe(200);
  return reply.json.attributed_to;
}
