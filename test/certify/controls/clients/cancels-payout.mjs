/** Right: the client looks at a payout before it cancels the payout again. */
import { arm, callOff, create, payoutBody } from './lib.mjs';

await arm({ route: 'payouts.create', kind: 'outcome', pending: true });
const { id } = await create('/v2/payouts', payoutBody('invoice-3'), 'invoice-3-key');
const { failure } = await callOff(`/v2/payouts/${id}`);
if (failure?.code !== 'cancelled') throw new Error('not cancelled');
