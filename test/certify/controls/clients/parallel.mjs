/** Right: six payouts at the same time, with new references and keys in each run. */
import { randomInt, randomUUID } from 'node:crypto';
import { pause, pay, payoutBody, requirePaid } from './lib.mjs';

const one = async (n) => {
  await pause(randomInt(30));
  requirePaid(await pay(payoutBody(randomUUID(), { amount: `${10 + (n % 3)}.00` }), randomUUID()));
};
await Promise.all(Array.from({ length: 6 }, (_, n) => one(n)));
