/** A test runner that runs a test once more where it failed, and a test that draws a key: nobody can tell it from code that does so. */
import { randomUUID } from 'node:crypto';
import { call, payoutBody, requirePaid } from './lib.mjs';

const text = JSON.stringify(payoutBody('invoice-1'));
const test = async () => requirePaid(await call('POST', '/v2/payouts', { text, key: randomUUID() }));
await test().catch(test);
