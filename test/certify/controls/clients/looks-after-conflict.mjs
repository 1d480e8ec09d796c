/** Right: after a 409 too, the client looks, and sends the action again while the code is awaited. */
import { call, code, codeBody, create, pause, read, Refused, requirePaid, settled } from './lib.mjs';

const { id } = await create('/v2/payins', codeBody('order-7'), 'order-7-key');
const path = `/v2/payins/${id}`;
for (const [action, text] of [['resend-code'], ['confirm', code]])
  for (let attempt = 1; attempt <= 3; attempt += 1)
    try {
      await call('POST', `${path}/${action}`, { text });
      break;
    } catch (error) {
      if (error instanceof Refused && error.status !== 409) throw error;
      await pause(error.waitMs ?? 0);
      if ((await read(path)).pending_reason !== 'awaiting_code') break;
    }
requirePaid(await settled(path));
