/** Wrong, if little: an operation that exists is taken for money that moved. */
import { create, payoutBody } from './lib.mjs';

await create('/v2/payouts', payoutBody('invoice-1'), 'invoice-1-key');
console.log('paid');
