/**
 * A service that does little but answer: what is measured against it is the client. Creates are confirmed at once and kept nowhere;
 * the catalog is the one it is given, and the feed has the number of events it is given, of payouts that it never saw. Reads its orders
 * as JSON from its only argument, prints its address. `GET /sent` says how long it took from the first create to the last one, and forgets.
 */
import { createServer } from 'node:http';
import { pageOf } from './distinct-feed.js';

/** @type {{ capabilities: string, banks: Record<string, string>, events: number }} */
const { capabilities, banks, events } = JSON.parse(process.argv[2] ?? '');
const operation = {
  type: 'payout',
  country: 'VE',
  currency: 'VES',
  method: 'mobile_payment',
  status: 'confirmed',
  pending_reason: null,
  bank_reference: '00000001',
  failure: null,
  metadata: {},
  purpose: 'payroll',
  concept: 'Pago ABC6F1C2A',
  created_by: 'company',
};
let count = 0;
/** When the first and the last create came since it was asked. @type {[number, number] | null} */
let sent = null;

/** The answer to a create: about its own row, as every service's is. @param {string} text */
function created(text) {
  count += 1;
  const nowMs = performance.now();
  sent = [sent?.[0] ?? nowMs, nowMs];
  const id = `6f1c2a9e-3b4d-4c5e-8f70-${String(count).padStart(12, '0')}`;
  /** @type {{ amount: string, reference: string }} */
  const { amount, reference } = JSON.parse(text);
  // A payment is of the moment that asks for it, or it would be an older one.
  const at = `${new Date().toISOString().slice(0, 19)}Z`;
  const times = { confirmed_at: at, created_at: at, updated_at: at };
  return Buffer.from(JSON.stringify({ id, ...operation, ...times, amount, reference }));
}

/** The answer to a read. @param {URL} url @returns {string | Buffer} */
function read({ pathname, searchParams }) {
  if (pathname === '/sent') {
    const [firstMs, lastMs] = sent ?? [0, 0];
    sent = null;
    return JSON.stringify({ seconds: (lastMs - firstMs) / 1000 });
  }
  if (pathname.includes('/v2/events')) return pageOf(searchParams, events);
  const [, id] = /\/v2\/transactions\/(.*)$/.exec(pathname) ?? [];
  if (id !== undefined) return JSON.stringify({ id, ...operation, amount: '1500.50' });
  return pathname.includes('/v2/banks')
    ? (banks[searchParams.get('country') ?? ''] ?? '{"banks":[]}')
    : capabilities;
}

const server = createServer((request, response) => {
  const { method, url = '' } = request;
  if (method === 'POST') {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.once('end', () => {
      const body = created(Buffer.concat(chunks).toString('utf8'));
      response
        .writeHead(201, { 'content-type': 'application/json', 'content-length': body.length })
        .end(body);
    });
  } else {
    const body = read(new URL(url, 'http://localhost'));
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`http://127.0.0.1:${address.port}`);
});
