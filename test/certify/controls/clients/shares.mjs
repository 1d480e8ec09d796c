/**
 * A payout for each confirmed pay-in that is delivered. Right with `once`; otherwise a second delivery pays again with
 * a new key.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { call, codeBody, confirm, create, pause, pay, payoutBody, requirePaid } from './lib.mjs';

const isRight = process.argv[2] === 'once';
const seen = new Set();
let [wanted, done] = [0, 0];

async function share({ reference, id }) {
  const body = payoutBody(`share-${reference}`, { amount: '5.00' });
  requirePaid(await pay(body, isRight ? `share-${id}` : randomUUID()));
  done += 1;
}

const server = createServer(async (request, response) => {
  const chunks = await Array.fromAsync(request);
  const event = JSON.parse(Buffer.concat(chunks));
  response.writeHead(200).end();
  if (event.type !== 'payin.confirmed' || (isRight && seen.has(event.id))) return;
  seen.add(event.id);
  await share(event.data).catch(() => process.exit(1));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}/`;
await call('POST', '/v2/webhook-endpoints', { text: JSON.stringify({ url }) });
for (const order of ['a', 'b']) {
  const { id } = await create('/v2/payins', codeBody(`order-${order}`), `order-${order}-key`);
  requirePaid(await confirm(id));
  wanted += 1;
}
for (let look = 0; look < 100 && done < wanted; look += 1) await pause(50);
// A second delivery comes soon.
await pause(400);
process.exit(done >= wanted ? 0 : 1);
