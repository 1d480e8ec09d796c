/** Right: the client cancels one paid, one waiting and one expired pay-in. A cancel that is too late is no error. */
import { randomUUID } from 'node:crypto';
import { callOff, control, create, incomingBody } from './lib.mjs';

const meanwhile = [
  (id) => control('payments', { for: id }),
  () => undefined,
  (id) => control(`operations/${id}/expire`),
];
for (const happens of meanwhile) {
  const reference = randomUUID();
  const { id } = await create('/v2/payins', incomingBody(reference), `${reference}-key`);
  await happens(id);
  const { status } = await callOff(`/v2/payins/${id}`);
  if (status === 'pending') throw new Error('neither paid nor called off');
}
