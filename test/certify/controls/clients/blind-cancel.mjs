/** Wrong: the client repeats a cancel without a look at the operation. With the word `payout` it cancels a payout. */
import { arm, call, create, incomingBody, payoutBody, persist } from './lib.mjs';

const isPayout = process.argv[2] === 'payout';
const body = isPayout ? payoutBody('invoice-9') : incomingBody('order-9');
const path = isPayout ? '/v2/payouts' : '/v2/payins';
if (isPayout) await arm({ route: 'payouts.create', kind: 'outcome', pending: true });
const { id } = await create(path, body, 'order-9-key');
await persist(() => call('POST', `${path}/${id}/cancel`));
