/** Right: calls a payment off that it waits for, and looks at it before it cancels again. */
import { call, create, incomingBody, pause, read, Unknown } from './lib.mjs';

const { id } = await create('/v2/payins', incomingBody('order-9'), 'order-9-key');
const path = `/v2/payins/${id}`;
for (let attempt = 1; attempt <= 3; attempt += 1)
  try {
    await call('POST', `${path}/cancel`);
    break;
  } catch (error) {
    if (!(error instanceof Unknown)) throw error;
    await pause(error.waitMs);
    if ((await read(path)).status !== 'pending') break;
  }
const { failure } = await read(path);
if (failure?.code !== 'cancelled') throw new Error('not cancelled');
