/** Right: the client pays the same body twice without a reference, each with its own key. */
import { randomUUID } from 'node:crypto';
import { pay, payoutBody, requirePaid } from './lib.mjs';

for (let n = 0; n < 2; n += 1) requirePaid(await pay(payoutBody(null), randomUUID()));
