/** Wrong with --rerun: the key is drawn at each start, so a second start pays again. */
import { randomUUID } from 'node:crypto';
import { pay, payoutBody, requirePaid } from './lib.mjs';

requirePaid(await pay(payoutBody('invoice-1'), randomUUID(), { times: 2 }));
