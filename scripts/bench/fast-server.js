/**
 * A service that does nothing but answer: what is measured against it is the client. Creates are confirmed at once, with one fixed
 * answer; the catalog is the one it is given. Reads its orders as JSON from its only argument, prints its address.
 */
import { createServer } from 'node:http';

/** @type {{ capabilities: string, banks: Record<string, string> }} */
const { capabilities, banks } = JSON.parse(process.argv[2] ?? '');
const created = Buffer.from(
  JSON.stringify({
    id: '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f',
    type: 'payout',
    country: 'VE',
    currency: 'VES',
    method: 'mobile_payment',
    amount: '1.00',
    status: 'confirmed',
    pending_reason: null,
    bank_reference: '00000001',
    confirmed_at: '2026-09-23T15:04:05Z',
    failure: null,
    metadata: {},
    purpose: 'payroll',
    concept: 'Pago ABC6F1C2A',
    created_by: 'company',
    created_at: '2026-09-23T15:04:05Z',
    updated_at: '2026-09-23T15:04:05Z',
  }),
);
const head = { 'content-type': 'application/json', 'content-length': String(created.length) };

const server = createServer((request, response) => {
  const { method, url = '' } = request;
  if (method === 'POST') {
    request.resume().once('end', () => response.writeHead(201, head).end(created));
  } else {
    const country = new URL(url, 'http://localhost').searchParams.get('country') ?? '';
    const body = url.includes('/v2/banks') ? (banks[country] ?? '{"banks":[]}') : capabilities;
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`http://127.0.0.1:${address.port}`);
});
