/** Wrong: the key is the second in which an attempt begins. */
import { call, payoutBody, persist, requirePaid, settled } from './lib.mjs';

const text = JSON.stringify(payoutBody('invoice-1'));
const { id } = await persist(() =>
  call('POST', '/v2/payouts', { text, key: `pay-${Math.floor(Date.now() / 1000)}` }),
);
requirePaid(await settled(`/v2/payouts/${id}`));
