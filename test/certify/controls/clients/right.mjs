/** Right: a payout, and a pay-in with a code. */
import { codeBody, confirm, create, pay, payoutBody, requirePaid } from './lib.mjs';

requirePaid(await pay(payoutBody('invoice-1'), 'invoice-1-key'));
const { id } = await create('/v2/payins', codeBody('order-7'), 'order-7-key');
requirePaid(await confirm(id));
