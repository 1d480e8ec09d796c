import { once } from 'node:events';
import { connect } from 'node:net';
import { PAYOUT } from './requests.js';

/** @type {{ url: string, key: string, count: number, connections: number, run: string }} */
const orders = JSON.parse(process.argv[2] ?? '');
const url = new URL(`${orders.url}/v2/payouts`);
const body = JSON.stringify(PAYOUT);
const head =
  `POST ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${orders.key}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nIdempotency-Key: payout-`;

let sent = 0;
const sockets = Array.from({ length: orders.connections }, () =>
  connect(Number(url.port), url.hostname).setNoDelay(),
);
await Promise.all(sockets.map((socket) => once(socket, 'connect')));
const startedMs = performance.now();
await Promise.all(sockets.map(work));
process.stdout.write(JSON.stringify({ count: sent, takenMs: performance.now() - startedMs }));

/** @param {import('node:net').Socket} socket */
function work(socket) {
  return new Promise((resolve, reject) => {
    let received = '';
    const next = () => {
      if (sent === orders.count) return resolve(socket.end());
      sent += 1;
      socket.write(`${head}${orders.run}-${sent}\r\n\r\n${body}`);
    };
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      received += String(chunk);
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(received)?.[1]);
      if (Number.isNaN(length)) return void reject(new Error(`no length: ${received}`));
      if (received.length < end + 4 + length) return;
      if (!received.startsWith('HTTP/1.1 201 ')) return void reject(new Error(received));
      received = '';
      next();
    });
    next();
  });
}
