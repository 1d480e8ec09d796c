/** Advice: a repetition has the same members in another order. */
import { call, payoutBody, persist, requirePaid, settled } from './lib.mjs';

const members = Object.entries(payoutBody('invoice-1'));
const { id } = await persist((attempt) => {
  const ordered = attempt === 1 ? members : members.toReversed();
  const text = JSON.stringify(Object.fromEntries(ordered));
  return call('POST', '/v2/payouts', { text, key: 'invoice-1-key' });
});
requirePaid(await settled(`/v2/payouts/${id}`));
