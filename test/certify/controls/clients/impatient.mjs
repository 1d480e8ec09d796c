/** Advice: the client does not wait for Retry-After. */
import { create, payoutBody, requirePaid, settled } from './lib.mjs';

const { id } = await create('/v2/payouts', payoutBody('invoice-1'), 'invoice-1-key', { heedsWait: false });
requirePaid(await settled(`/v2/payouts/${id}`));
