/** Wrong: after 409 the client takes a new key. */
import { randomUUID } from 'node:crypto';
import { pay, payoutBody, requirePaid } from './lib.mjs';

const body = payoutBody('invoice-1');
requirePaid(
  await pay(body, 'invoice-1-key').catch((error) => {
    if (error.status !== 409) throw error;
    return pay(body, randomUUID());
  }),
);
