/** Wrong, if little: it does not wait as long as it is asked to. */
import { create, payoutBody, requirePaid, settled } from './lib.mjs';

const { id } = await create('/v2/payouts', payoutBody('invoice-1'), 'invoice-1-key', { heedsWait: false });
requirePaid(await settled(`/v2/payouts/${id}`));
