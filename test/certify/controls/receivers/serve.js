/**
 * Usage: `node serve.js FOLDER MODE...` serves each shop at `/MODE` and prints the port. The file `MODE-ID` is the
 * state of an operation.
 */
import { Buffer } from 'node:buffer';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers';
import { openShop, ShopEnded } from './shop.js';

const [, , folder = '.', ...modes] = process.argv;
const secret = process.env['WEBHOOK_SECRETS'] ?? '';

/** @param {string} mode */
function open(mode) {
  const shopMode = /** @type {import('./shop.js').ShopMode} */ (mode);
  return openShop(shopMode, secret, {
    now: () => Date.now(),
    after: (ms, work) => void setTimeout(work, ms),
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    changed: (id, state) => {
      // A rename, so that a reader never sees half of a state.
      writeFileSync(join(folder, `.${mode}-${id}`), state);
      renameSync(join(folder, `.${mode}-${id}`), join(folder, `${mode}-${id}`));
    },
  });
}
const shops = new Map(modes.map((mode) => [mode, open(mode)]));

/** @param {Buffer} body */
function operationIn(body) {
  try {
    const value = /** @type {unknown} */ (JSON.parse(body.toString()));
    const event = /** @type {{ data: { id: string } }} */ (value);
    return event.data.id;
  } catch {
    return null;
  }
}

const server = createServer((request, response) => {
  const mode = (request.url ?? '').slice(1);
  const shop = shops.get(mode);
  if (shop === undefined) {
    response.writeHead(404).end();
    return;
  }
  /** @type {Buffer[]} */
  const chunks = [];
  request.on('data', (/** @type {Buffer} */ chunk) => chunks.push(chunk));
  request.on('end', () => {
    const headers = /** @type {Record<string, string | undefined>} */ (request.headers);
    const body = Buffer.concat(chunks);
    const id = operationIn(body);
    if (id !== null && existsSync(join(folder, `order-${id}`))) shop.order(id);
    shop
      .take({ method: request.method ?? '', headers, body }, () => response.destroyed)
      .then((status) => response.writeHead(status, status === 308 ? { location: `/${mode}/` } : {}).end())
      .catch((/** @type {unknown} */ error) => {
        process.exit(error instanceof ShopEnded ? 1 : 2);
      });
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${String(typeof address === 'object' ? address?.port : '')}\n`);
});
