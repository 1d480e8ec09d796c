import { createServer } from 'node:http';
import { eventText } from './event.js';

const total = Number(process.argv[2]);
/** @param {number} index */
const event = (index) => {
  const end = String(index).padStart(12, '0');
  return eventText({
    id: `0c9d1b2e-7f3a-4b8c-9d0e-${end}`,
    operation: `6f1c2a9e-3b4d-4c5e-8f70-${end}`,
    reference: `order-${index}`,
    occurredAt: '2026-09-23T15:04:05Z',
  });
};

const events = Array.from({ length: 200 }, (_, index) => event(index));
const pages = new Map();

const server = createServer((request, response) => {
  const query = new URL(request.url ?? '', 'http://localhost').searchParams;
  const from = Number(query.get('cursor') ?? 0);
  const count = Math.min(Number(query.get('limit') ?? 50), 200, total - from);
  if (!pages.has(count)) pages.set(count, Buffer.from(`{"events":[${events.slice(1, count).join(',')}`));
  const last = count === 0 ? '' : (count === 1 ? '' : ',') + event(from + count);
  const end = `${last}],"next_cursor":"${from + count}"}`;
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
