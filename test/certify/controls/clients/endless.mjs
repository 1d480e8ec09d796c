/** Wrong: the client waits forever, even if the payment has failed. */
import { create, pause, payoutBody, read } from './lib.mjs';

let operation = await create('/v2/payouts', payoutBody('invoice-1'), 'invoice-1-key');
while (operation.status !== 'confirmed') {
  await pause(50);
  operation = await read(`/v2/payouts/${operation.id}`);
}
