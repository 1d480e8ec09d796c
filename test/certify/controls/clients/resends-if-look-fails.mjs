/** Wrong: if the look at the operation fails, the client sends the code again. */
import { call, code, codeBody, create, pause, requirePaid, settled, Unknown } from './lib.mjs';

const { id } = await create('/v2/payins', codeBody('order-7'), 'order-7-key');
for (let attempt = 1; attempt <= 3; attempt += 1)
  try {
    await call('POST', `/v2/payins/${id}/confirm`, { text: code });
    break;
  } catch (error) {
    if (error.status === 409) break;
    if (!(error instanceof Unknown)) throw error;
    await pause(error.waitMs);
    const now = await call('GET', `/v2/payins/${id}`).catch(async (failed) => {
      await pause(failed.waitMs ?? 0);
      return null;
    });
    if (now !== null && now.pending_reason !== 'awaiting_code') break;
  }
requirePaid(await settled(`/v2/payins/${id}`));
