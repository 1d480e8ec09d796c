/**
 * A process that serves a feed of a number of events, as fast as Node can: each page is the same bytes but for its cursor.
 * Prints its port. Its only argument is the number of events; a page holds what `limit` asks for, 200 at most.
 */
import { createServer } from 'node:http';

const total = Number(process.argv[2]);
const event = (/** @type {number} */ index) =>
  JSON.stringify({
    id: `0c9d1b2e-7f3a-4b8c-9d0e-${String(index).padStart(12, '0')}`,
    type: 'payout.confirmed',
    occurred_at: '2026-09-23T15:04:05Z',
    data: {
      id: `6f1c2a9e-3b4d-4c5e-8f70-${String(index).padStart(12, '0')}`,
      type: 'payout',
      country: 'VE',
      currency: 'VES',
      method: 'mobile_payment',
      amount: '1500.50',
      status: 'confirmed',
      pending_reason: null,
      bank_reference: '00012345',
      confirmed_at: '2026-09-23T15:04:05Z',
      failure: null,
      reference: `order-${index}`,
      metadata: {},
      purpose: 'remittance',
      concept: 'Pago DEF6F1C2A',
      created_by: 'company',
      created_at: '2026-09-23T14:59:05Z',
      updated_at: '2026-09-23T15:04:05Z',
    },
  });

const events = Array.from({ length: 200 }, (_, index) => event(index));
const pages = new Map();

const server = createServer((request, response) => {
  const query = new URL(request.url ?? '', 'http://localhost').searchParams;
  const from = Number(query.get('cursor') ?? 0);
  const count = Math.min(Number(query.get('limit') ?? 50), 200, total - from);
  if (!pages.has(count)) pages.set(count, Buffer.from(`{"events":[${events.slice(0, count).join(',')}]`));
  const end = `,"next_cursor":"${from + count}"}`;
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': pages.get(count).length + end.length,
  });
  response.write(pages.get(count));
  response.end(end);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address !== 'string') process.stdout.write(`${address.port}\n`);
});
