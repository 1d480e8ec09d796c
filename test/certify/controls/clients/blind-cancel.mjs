/** Wrong: a cancel is repeated like a create, without a look at the operation. */
import { call, create, incomingBody, persist } from './lib.mjs';

const { id } = await create('/v2/payins', incomingBody('order-9'), 'order-9-key');
await persist(() => call('POST', `/v2/payins/${id}/cancel`));
