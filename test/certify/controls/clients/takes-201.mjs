/** Advice: the client takes an existing operation for a payment that was made. */
import { create, payoutBody } from './lib.mjs';

await create('/v2/payouts', payoutBody('invoice-1'), 'invoice-1-key');
console.log('paid');
