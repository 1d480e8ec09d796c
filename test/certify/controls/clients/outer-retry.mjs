/** Wrong: the client repeats rightly, but the job around the client begins again with a new key. */
import { randomUUID } from 'node:crypto';
import { pay, payoutBody, persist, requirePaid } from './lib.mjs';

const body = payoutBody('invoice-1');
requirePaid(await persist(() => pay(body, randomUUID(), { times: 3 }), { times: 2 }));
