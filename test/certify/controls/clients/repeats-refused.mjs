/** Wrong: the client repeats every failure, also a refusal. */
import { call, pause, payoutBody, requirePaid, settled } from './lib.mjs';

const text = JSON.stringify(payoutBody('invoice-1'));
let made = null;
for (let attempt = 1; made === null; attempt += 1)
  try {
    made = await call('POST', '/v2/payouts', { text, key: 'invoice-1-key' });
  } catch (error) {
    if (attempt === 6) throw error;
    await pause(Math.max(error.waitMs ?? 0, 20));
  }
requirePaid(await settled(`/v2/payouts/${made.id}`));
