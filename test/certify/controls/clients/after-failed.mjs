/** Right: the client pays a failed payment once more, as a new payment. */
import { randomUUID } from 'node:crypto';
import { codeBody, confirm, create, requirePaid } from './lib.mjs';

let operation;
for (let n = 0; n < 2; n += 1) {
  const made = await create('/v2/payins', codeBody('order-7'), randomUUID());
  operation = made.status === 'pending' ? await confirm(made.id) : made;
  if (operation.status === 'confirmed') break;
}
requirePaid(operation);
