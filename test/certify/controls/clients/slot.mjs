/** Right: the reference has a slot of the clock in it, which two runs may share and a later one does not. */
import { pay, payoutBody, requirePaid } from './lib.mjs';

const slot = Math.floor(Date.now() / Number(process.argv[2] ?? 8000));
requirePaid(await pay(payoutBody(`run-${slot}`), `run-${slot}-key`));
