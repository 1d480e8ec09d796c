/** Wrong: each attempt has a new key. */
import { randomUUID } from 'node:crypto';
import { call, payoutBody, persist, requirePaid, settled } from './lib.mjs';

const text = JSON.stringify(payoutBody('invoice-1'));
const { id } = await persist(() => call('POST', '/v2/payouts', { text, key: randomUUID() }));
requirePaid(await settled(`/v2/payouts/${id}`));
