/** Wrong where it may be run again: the key is drawn when it starts, so that the second start pays once more. */
import { randomUUID } from 'node:crypto';
import { pay, payoutBody, requirePaid } from './lib.mjs';

requirePaid(await pay(payoutBody('invoice-1'), randomUUID(), { times: 2 }));
