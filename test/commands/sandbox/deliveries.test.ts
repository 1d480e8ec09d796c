/** `svc sandbox deliveries`: the list in every form, and a resend that reaches the receiver. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Stopped } from '../../../src/runtime/ports.js';
import { payout } from '../../support/requests.js';
import { world, type Result, type World } from '../../support/svc.js';

let home: World;
let stop: (() => Promise<unknown>) | null = null;
let receiver: Server | null = null;
beforeEach(() => {
  home = world();
});
afterEach(async () => {
  await stop?.();
  receiver?.closeAllConnections();
  receiver?.close();
  [stop, receiver] = [null, null];
  home.remove();
});

const REGISTER = 'api POST /v2/webhook-endpoints -f url=https://shop.example/hooks';

it('are shown as the control answers, each on a line, and in a table', async () => {
  await home.svc(REGISTER);
  for (let made = 0; made < 2; made += 1) await home.svc(payout());
  const { deliveries } = (await home.svc('sandbox deliveries')).json() as { deliveries: { id: string }[] };
  expect(deliveries).toMatchObject([
    { type: 'payout.confirmed', url: 'https://shop.example/hooks', status: 'pending', attempts: [] },
    { type: 'payout.confirmed', status: 'pending' },
  ]);
  const lines = (await home.svc('sandbox deliveries -o ndjson')).stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(deliveries);
  const csv = (await home.svc('sandbox deliveries -o csv')).stdout;
  const table = (await home.svc('sandbox deliveries -o table')).stdout;
  for (const { id } of deliveries) {
    expect(csv).toContain(id);
    expect(table).toContain(id);
  }
});

it('of nobody are an empty list', async () => {
  expect((await home.svc('sandbox deliveries')).json()).toEqual({ deliveries: [] });
  expect(await home.svc('sandbox deliveries -o ndjson')).toMatchObject({ exitCode: 0, stdout: '' });
});

/** Starts a server in this process, and a receiver whose answers arrive one after the other. */
async function serving(): Promise<{ url: string; arrival: () => Promise<string> }> {
  const arrivals: string[] = [];
  let arrived = (): void => undefined;
  receiver = createServer((request, response) => {
    arrivals.push(String(request.headers['x-id-evento']));
    response.writeHead(204).end();
    arrived();
  });
  await new Promise<void>((resolve) => receiver!.listen(0, '127.0.0.1', resolve));
  const controller = new AbortController();
  let ended: Promise<Result> | null = null;
  await new Promise<void>((resolve) => {
    ended = home.svc('sandbox start --port 0 --allow-http-webhooks', {
      signal: controller.signal,
      wire: true,
      onData: () => resolve(),
    });
  });
  stop = () => {
    controller.abort(new Stopped('SIGTERM', 143));
    return ended!;
  };
  return {
    url: `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}/`,
    arrival: () =>
      new Promise((resolve) => {
        arrived = () => {
          const next = arrivals.shift();
          if (next !== undefined) resolve(next);
        };
        arrived();
      }),
  };
}

it('--resend sends one again, whatever became of it', async () => {
  const { url, arrival } = await serving();
  await home.svc(`api POST /v2/webhook-endpoints -f url=${url}`, { wire: true });
  await home.svc(payout(), { wire: true });
  const first = await arrival();
  const listed = await home.svc('sandbox deliveries', { wire: true });
  const { deliveries } = listed.json() as { deliveries: { id: string; event_id: string }[] };
  const [delivery] = deliveries;
  expect(first).toBe(delivery!.event_id);
  const short = delivery!.id.slice(0, 8);
  // A person reads a line of the list, and not both sides of each attempt.
  const tty = { stdout: true, columns: 200 };
  const options = { wire: true, tty, env: { NO_COLOR: '1' } };
  const { stdout } = await home.svc(`sandbox deliveries --resend ${short}`, options);
  expect(stdout).toContain('Last answer');
  expect(stdout).toMatch(/pending +payout\.confirmed/);
  expect(stdout).toContain(delivery!.id);
  expect(stdout).not.toContain('x-firma');
  expect(await arrival()).toBe(first);
});

it('--resend of what is not there is 5, and of what is no id is 2', async () => {
  const none = '00000000-0000-4000-8000-000000000000';
  expect(await home.svc(`sandbox deliveries --resend ${none}`)).toMatchObject({ exitCode: 5, stdout: '' });
  expect(await home.svc('sandbox deliveries --resend ../../reset')).toMatchObject({
    exitCode: 2,
    stdout: '',
  });
});
