/** Right: the client looks at a pay-in before it cancels the pay-in again. */
import { callOff, create, incomingBody } from './lib.mjs';

const { id } = await create('/v2/payins', incomingBody('order-9'), 'order-9-key');
const { failure } = await callOff(`/v2/payins/${id}`);
if (failure?.code !== 'cancelled') throw new Error('not cancelled');
