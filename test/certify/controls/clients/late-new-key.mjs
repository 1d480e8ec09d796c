/** Wrong: the client repeats a lost connection rightly, but repeats a late answer with a new key. */
import { randomUUID } from 'node:crypto';
import { call, payoutBody, persist, requirePaid, settled } from './lib.mjs';

const text = JSON.stringify(payoutBody('invoice-1'));
let key = randomUUID();
const { id } = await persist(async () => {
  try {
    return await call('POST', '/v2/payouts', { text, key, timeoutMs: 2000 });
  } catch (error) {
    if (error.isLate) key = randomUUID();
    throw error;
  }
});
requirePaid(await settled(`/v2/payouts/${id}`));
