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
  const table = (await home.svc('sandbox deliveries -o table', { env: { NO_COLOR: '1' } })).stdout;
  for (const { id } of deliveries) {
    expect(csv).toContain(id);
    expect(table).toContain(id.slice(0, 8));
  }
  expect(table.split('\n').filter((line) => line.includes('payout.confirmed'))).toHaveLength(2);
});

it('are fewer with --status, --operation and --limit, and one of them is shown whole', async () => {
  await home.svc(REGISTER);
  const first = (await home.svc(payout())).json() as { id: string };
  await home.svc(payout());
  interface Listed {
    deliveries: { id: string; operation_id: string }[];
  }
  const listed = async (flags: string): Promise<Listed['deliveries']> =>
    ((await home.svc(`sandbox deliveries ${flags}`)).json() as unknown as Listed).deliveries;
  const [oldest, newest] = await listed('');
  expect(oldest).toMatchObject({
    operation_id: first.id,
    amount: expect.any(String) as string,
    result: null,
  });
  expect(await listed(`--operation ${first.id}`)).toEqual([oldest]);
  expect(await listed(`--operation ${first.id.slice(0, 8)}`)).toEqual([oldest]);
  expect(await listed('--limit 1')).toEqual([newest]);
  expect(await listed('--status pending')).toEqual([oldest, newest]);
  expect(await listed('--status delivered')).toEqual([]);
  const whole = await home.svc(`sandbox deliveries ${newest!.id.slice(0, 8)}`);
  expect(whole.json()).toEqual(newest);
});

it.each([
  ['--status lost', 2, '--status'],
  ['--limit 0', 6, 'limit'],
  ['--limit 201', 6, 'limit must be a whole number from 1 to 200'],
  ['--operation ../x', 2, '--operation must be the id'],
  ['00000000-0000-4000-8000-000000000000', 5, 'No delivery'],
  ['00000000-0000-4000-8000-000000000000 --status pending', 2, 'without ID'],
  ['--resend 00000000-0000-4000-8000-000000000000 --limit 3', 2, '--resend ID alone'],
])('%s ends with %i and says why', async (flags, exitCode, said) => {
  const refused = await home.svc(`sandbox deliveries ${flags}`);
  expect([refused.exitCode, refused.stdout]).toEqual([exitCode, '']);
  expect(refused.stderr).toContain(said);
});

it('without a registered URL say so, with the line that registers one, which works', async () => {
  await home.svc(payout());
  const { stderr, stdout } = await home.svc('sandbox deliveries');
  expect(JSON.parse(stdout)).toEqual({ deliveries: [] });
  const [, line] =
    /^No URL is registered, so no event is delivered\. Register one: svc (.+)\n$/.exec(stderr) ?? [];
  expect((await home.svc(line!)).exitCode).toBe(0);
  expect((await home.svc('sandbox deliveries')).stderr).toBe('');
  await home.svc('sandbox key --company acme');
  expect((await home.svc('sandbox deliveries')).stderr).toContain('No URL is registered by "acme" (sandbox)');
  expect((await home.svc('sandbox deliveries --quiet')).stderr).toBe('');
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
  expect(stdout).toMatch(new RegExp(`${short} +\\S* ?pending +payout\\.confirmed`));
  expect(stdout.split('\n').filter((line) => line.includes('payout'))).toHaveLength(1);
  expect(stdout).not.toContain('X-Firma');
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
