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
/** @type {[number, number] | null} */
let sent = null;

/** @param {string} text */
function created(text) {
  count += 1;
  const nowMs = performance.now();
  sent = [sent?.[0] ?? nowMs, nowMs];
  const id = `6f1c2a9e-3b4d-4c5e-8f70-${String(count).padStart(12, '0')}`;
  /** @type {{ amount: string, reference: string }} */
  const { amount, reference } = JSON.parse(text);
  const at = `${new Date().toISOString().slice(0, 19)}Z`;
  const times = { confirmed_at: at, created_at: at, updated_at: at };
  return Buffer.from(JSON.stringify({ id, ...operation, ...times, amount, reference }));
}

/** @param {URL} url @returns {string | Buffer} */
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
