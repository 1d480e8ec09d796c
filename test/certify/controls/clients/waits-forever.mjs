/** Wrong: the client waits for an answer without a limit. */
import { call, payoutBody, requirePaid, settled } from './lib.mjs';

const text = JSON.stringify(payoutBody('invoice-1'));
const { id } = await call('POST', '/v2/payouts', { text, key: 'invoice-1-key', timeoutMs: 2 ** 31 - 1 });
requirePaid(await settled(`/v2/payouts/${id}`));
