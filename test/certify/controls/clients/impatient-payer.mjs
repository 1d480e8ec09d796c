/** Right: the client cancels a payout that is not final in time, and pays again after the cancel is certain. */
import { callOff, create, pause, payoutBody, read, requirePaid, settled } from './lib.mjs';

const [patienceMs = '500'] = process.argv.slice(2);
const body = payoutBody('invoice-5');
const path = (id) => `/v2/payouts/${id}`;
const { id, status } = await create('/v2/payouts', body, 'invoice-5-key');
if (status === 'pending') await pause(Number(patienceMs));
const late = (await read(path(id))).status === 'pending' ? await callOff(path(id)) : null;
if (late?.failure?.code === 'cancelled') {
  const again = await create('/v2/payouts', body, 'invoice-5-second-key');
  requirePaid(await settled(path(again.id)));
} else requirePaid(await settled(path(id)));
