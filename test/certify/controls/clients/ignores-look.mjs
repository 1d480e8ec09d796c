/** Wrong: the client looks at the operation, but sends the code again in any case. */
import { call, code, codeBody, create, read, requirePaid, settled, Unknown, pause } from './lib.mjs';

const { id } = await create('/v2/payins', codeBody('order-7'), 'order-7-key');
for (let attempt = 1; attempt <= 3; attempt += 1)
  try {
    await call('POST', `/v2/payins/${id}/confirm`, { text: code });
    break;
  } catch (error) {
    if (error.status === 409) break;
    if (!(error instanceof Unknown)) throw error;
    await pause(error.waitMs);
    await read(`/v2/payins/${id}`);
  }
requirePaid(await settled(`/v2/payins/${id}`));
