/** Right: the reference has a slot of the clock in it. Two runs may share a slot, and a later run may not. */
import { pay, payoutBody, requirePaid } from './lib.mjs';

const slot = Math.floor(Date.now() / Number(process.argv[2] ?? 8000));
requirePaid(await pay(payoutBody(`run-${slot}`), `run-${slot}-key`));
