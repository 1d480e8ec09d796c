/** Shops over HTTP, as a program: `node serve.js MODE...`; each at `/MODE/hooks`, `/MODE/state?op=ID` and `/MODE/order?op=ID`. It prints its port. */
import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import process from 'node:process';
import { setTimeout } from 'node:timers';
import { URL } from 'node:url';
import { openShop, ShopEnded } from './shop.js';

const secret = process.env['WEBHOOK_SECRETS'] ?? '';
const world = {
  now: () => Date.now(),
  /** @type {(ms: number, work: () => void) => void} */
  after: (ms, work) => void setTimeout(work, ms),
  /** @type {(ms: number) => Promise<void>} */
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const shops = new Map(
  process.argv
    .slice(2)
    .map((mode) => [mode, openShop(/** @type {import('./shop.js').ShopMode} */ (mode), secret, world)]),
);

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const [, mode = '', place = ''] = pathname.split('/');
  const shop = shops.get(mode);
  const operation = searchParams.get('op') ?? '';
  if (shop === undefined) return void response.writeHead(404).end();
  if (place === 'state') return void response.end(`${shop.state(operation)}\n`);
  if (place === 'order') {
    shop.order(operation);
    return void response.end();
  }
  /** @type {Buffer[]} */
  const chunks = [];
  request.on('data', (/** @type {Buffer} */ chunk) => chunks.push(chunk));
  request.on('end', () => {
    const headers = /** @type {Record<string, string | undefined>} */ (request.headers);
    const delivery = { method: request.method ?? '', headers, body: Buffer.concat(chunks) };
    shop
      .take(delivery, () => response.destroyed)
      .then(
        (status) => response.writeHead(status, status === 308 ? { location: `/${mode}/hooks/` } : {}).end(),
        (/** @type {unknown} */ error) => {
          if (error instanceof ShopEnded) process.exit(1);
          throw error;
        },
      );
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${String(typeof address === 'object' ? address?.port : '')}\n`);
});
