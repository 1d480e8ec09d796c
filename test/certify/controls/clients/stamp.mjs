/** Wrong: the body has the time of the attempt in it. With `seconds` the time has no milliseconds. */
import { call, payoutBody, persist, requirePaid, settled } from './lib.mjs';

const length = process.argv[2] === 'seconds' ? 19 : 24;
const { id } = await persist(() => {
  const metadata = { sent_at: new Date().toISOString().slice(0, length) };
  const text = JSON.stringify(payoutBody('invoice-1', { metadata }));
  return call('POST', '/v2/payouts', { text, key: 'invoice-1-key' });
});
requirePaid(await settled(`/v2/payouts/${id}`));
