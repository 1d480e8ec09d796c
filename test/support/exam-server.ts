import { systemClock, systemRandom } from '../../src/runtime/clock.js';
import { createUndiciTransport } from '../../src/client/undici.js';
import { openSandbox } from '../../src/sandbox/sandbox.js';
import { serve } from '../../src/sandbox/server.js';
import { serving } from './serving.js';

interface Wanted {
  readonly code: string;
  readonly live?: true;
  readonly settle_after_seconds: number;
  readonly now?: string;
  readonly ids?: 'fixed';
}

export async function startExamServer() {
  const seen: string[] = [];
  const asked: unknown[] = [];
  const sandboxes = new Map<number, () => Promise<void>>();
  const receivers = createUndiciTransport({ clock: systemClock });

  const opened = async (body: string): Promise<object> => {
    const wanted = JSON.parse(body) as Wanted;
    asked.push(wanted);
    const sandbox = openSandbox({
      ...{ store: ':memory:', clock: systemClock, random: systemRandom, allowHttpWebhooks: true },
      ...{ code: wanted.code, settleAfterSeconds: wanted.settle_after_seconds },
      ...{ isLive: wanted.live === true, ids: wanted.ids ?? 'random' },
      nowMs: wanted.now === undefined ? null : Date.parse(wanted.now),
    });
    const server = await serve(sandbox, {
      ...{ port: 0, clock: systemClock, receivers: receivers.send },
      interposer: async ({ request, carryOut, send }) => {
        seen.push(`${request.method} ${request.target}`);
        await send(await carryOut());
      },
    });
    sandboxes.set(server.port, async () => {
      await server.close();
      sandbox.close();
    });
    const base = `http://127.0.0.1:${String(server.port)}`;
    const key = sandbox.apiKey;
    return { base_url: base, control_url: `${base}/_control`, api_key: key };
  };

  const { url, stop } = await serving((request, response, body) => {
    void (async () => {
      if (request.method === 'POST' && request.url === '/sandboxes')
        return response.writeHead(201).end(JSON.stringify(await opened(body.toString())));
      const port = Number(/^\/sandboxes\/(\d+)$/.exec(request.url ?? '')?.[1]);
      const close = request.method === 'DELETE' ? sandboxes.get(port) : undefined;
      sandboxes.delete(port);
      await close?.();
      return response.writeHead(close === undefined ? 404 : 200).end('{}');
    })();
  });
  return {
    ...{ url, seen, asked },
    open: () => sandboxes.size,
    close: async () => {
      await Promise.all([stop(), ...[...sandboxes.values()].map((close) => close())]);
      await receivers.close();
    },
  };
}
