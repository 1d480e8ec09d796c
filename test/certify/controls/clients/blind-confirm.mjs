/** Wrong: the client repeats a confirm without a look at the operation. */
import { call, code, codeBody, create, persist, requirePaid, settled } from './lib.mjs';

const { id } = await create('/v2/payins', codeBody('order-7'), 'order-7-key');
await persist(() => call('POST', `/v2/payins/${id}/confirm`, { text: code }));
requirePaid(await settled(`/v2/payins/${id}`));
