/** Right: the client listens at a fixed port, so that two clients cannot run at the same time. */
import { createServer } from 'node:http';
import { pay, payoutBody, requirePaid } from './lib.mjs';

const server = createServer();
await new Promise((resolve, reject) => {
  server.once('error', reject);
  server.listen(Number(process.argv[2]), '127.0.0.1', resolve);
});
requirePaid(await pay(payoutBody('invoice-1'), 'invoice-1-key'));
server.close();
