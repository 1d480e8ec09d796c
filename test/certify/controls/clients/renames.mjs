/** Wrong: each attempt has a new reference, and with it a new key. */
import { call, payoutBody, persist, requirePaid, settled } from './lib.mjs';

const { id } = await persist((attempt) => {
  const text = JSON.stringify(payoutBody(`invoice-1-try-${attempt}`));
  return call('POST', '/v2/payouts', { text, key: `invoice-1-key-${attempt}` });
});
requirePaid(await settled(`/v2/payouts/${id}`));
