/** Not judged: each run pays a different number of times. */
import { readFileSync, writeFileSync } from 'node:fs';
import { pay, payoutBody } from './lib.mjs';

const [, , counter] = process.argv;
const before = Number(readFileSync(counter, { encoding: 'utf8', flag: 'a+' }));
writeFileSync(counter, String(before + 1));
for (let n = 0; n <= before % 3; n += 1) await pay(payoutBody('invoice-1'), `invoice-1-key-${n}`);
