/** Advice: the client takes a pending payment for one that was made. */
import { create, payoutBody } from './lib.mjs';

const { status } = await create('/v2/payouts', payoutBody('invoice-1'), 'invoice-1-key');
if (status === 'failed') process.exit(1);
