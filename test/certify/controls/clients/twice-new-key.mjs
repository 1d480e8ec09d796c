/** Wrong: the client pays the same body twice on purpose, and repeats with a new key. */
import { randomUUID } from 'node:crypto';
import { call, payoutBody, persist, requirePaid, settled } from './lib.mjs';

for (let n = 0; n < 2; n += 1) {
  const text = JSON.stringify(payoutBody(null));
  const { id } = await persist(() => call('POST', '/v2/payouts', { text, key: randomUUID() }), { times: 2 });
  requirePaid(await settled(`/v2/payouts/${id}`));
}
