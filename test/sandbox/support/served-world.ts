import { request as httpRequest } from 'node:http';
import type { Transport } from '../../../src/runtime/transport.js';
import { serve } from '../../../src/sandbox/server.js';
import { reply, type Exchange, type Header } from './exchange.js';
import { openWorld, type WorldOptions } from './world.js';

export function openServedWorld(options: WorldOptions & { readonly receivers?: Transport } = {}) {
  const { receivers, ...rest } = options;
  return openWorld(rest, async (sandbox, clock) => {
    const { port, close } = await serve(sandbox, {
      ...{ port: 0, clock },
      ...(receivers === undefined ? {} : { receivers }),
    });
    return { exchange: overHttp(port), port, close };
  });
}

function overHttp(port: number): Exchange {
  return ({ method, target, headers, body }) =>
    new Promise((resolve, reject) => {
      const flat = headers.flat();
      if (body.length > 0) flat.push('Content-Length', String(body.length));
      const outgoing = httpRequest({ host: '127.0.0.1', port, method, path: target, headers: flat });
      outgoing.on('error', reject);
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const dates = incoming.rawHeaders.filter(
            (text, at) => at % 2 === 0 && text.toLowerCase() === 'date',
          );
          if (dates.length !== 1) reject(new Error(`an answer with ${String(dates.length)} dates`));
          const pairs = Object.entries(incoming.headers).map(([name, value]): Header => [
            name,
            String(value),
          ]);
          resolve(reply(incoming.statusCode ?? 0, pairs, Buffer.concat(chunks), null));
        });
      });
      outgoing.end(body);
    });
}
