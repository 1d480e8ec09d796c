/** Right: the client pays the same body twice and repeats nothing. With an unknown outcome it ends with 1. */
import { randomUUID } from 'node:crypto';
import { call, payoutBody } from './lib.mjs';

let open = 0;
for (let n = 0; n < 2; n += 1)
  try {
    const text = JSON.stringify(payoutBody(null));
    const { status } = await call('POST', '/v2/payouts', { text, key: randomUUID() });
    if (status !== 'confirmed') open += 1;
  } catch (error) {
    console.error(error.message);
    open += 1;
  }
process.exit(open === 0 ? 0 : 1);
