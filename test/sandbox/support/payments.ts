import { expect } from 'vitest';
import type { Answered } from './answered.js';
import { validBody, type Json } from './bodies.js';
import type { World } from './world.js';

export async function paymentFor(world: World, payin: Answered, changes: Json = {}): Promise<Json> {
  const { payer } = (await validBody(world, payin.method)) as { payer: Json };
  const { bank_code, phone, document } = payer;
  const { method, currency, amount } = payin;
  return { method, currency, amount, bank_code, phone, document, ...changes };
}

export async function pay(world: World, payin: Answered, changes?: Json): Promise<string | null> {
  const reply = await world.control('POST', '/payments', await paymentFor(world, payin, changes));
  expect(reply.status).toBe(200);
  return reply.json.attributed_to;
}
