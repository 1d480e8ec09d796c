/** Right: each run draws new amounts, references, metadata and keys. */
import { randomInt, randomUUID } from 'node:crypto';
import { pay, payoutBody, requirePaid } from './lib.mjs';

for (let n = 0; n < 2; n += 1) {
  const extra = { amount: `${randomInt(1, 90)}.00`, metadata: { at: Date.now(), run: randomUUID() } };
  requirePaid(await pay(payoutBody(`test-${randomUUID()}`, extra), randomUUID()));
}
