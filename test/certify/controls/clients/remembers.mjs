/** Judged only with --before: the client pays once, and remembers that. */
import { existsSync, writeFileSync } from 'node:fs';
import { pay, payoutBody, requirePaid } from './lib.mjs';

const [, , memory] = process.argv;
if (!existsSync(memory)) {
  requirePaid(await pay(payoutBody('invoice-1'), 'invoice-1-key'));
  writeFileSync(memory, 'paid');
}
