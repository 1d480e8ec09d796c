/** Not judged: at a certain start the client fails before it sends a request. */
import { readFileSync, writeFileSync } from 'node:fs';
import { pay, payoutBody, requirePaid } from './lib.mjs';

const [, , counter, every] = process.argv;
const runs = Number(readFileSync(counter, { encoding: 'utf8', flag: 'a+' })) + 1;
writeFileSync(counter, String(runs));
if (runs % Number(every) === 0) throw new Error('flaky');
requirePaid(await pay(payoutBody('invoice-1'), 'invoice-1-key'));
