import { expect, it } from 'vitest';
import { payout } from '../support/requests.js';
import { sandboxesOf } from '../support/sandbox-here.js';
import { startService } from '../support/service.js';
import { eachWorld } from '../support/svc.js';

const home = eachWorld();
const start = sandboxesOf(home);

const NONE = '00000000-0000-4000-8000-000000000000';
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
  const listed = async (flags: string) =>
    (await home.svc(`sandbox deliveries ${flags}`)).json()['deliveries'] as { id: string }[];
  const [oldest, newest] = await listed('');
  expect(oldest).toMatchObject({ operation_id: first.id, amount: '5.00', result: null });
  expect(await listed(`--operation ${first.id}`)).toEqual([oldest]);
  expect(await listed(`--operation ${first.id.slice(0, 8)}`)).toEqual([oldest]);
  expect(await listed('--limit 1')).toEqual([newest]);
  expect(await listed('--status pending')).toEqual([oldest, newest]);
  expect(await listed('--status delivered')).toEqual([]);
  expect((await home.svc(`sandbox deliveries ${newest!.id.slice(0, 8)}`)).json()).toEqual(newest);
});

it.each([
  ['--status lost', 2, '--status'],
  ['--limit 0', 6, 'limit'],
  ['--limit 201', 6, 'limit must be a whole number from 1 to 200'],
  ['--operation ../x', 2, '--operation must be the id'],
  [NONE, 5, 'No delivery'],
  [`${NONE} --status pending`, 2, 'without ID'],
  [`--resend ${NONE} --limit 3`, 2, '--resend ID alone'],
  [`--resend ${NONE}`, 5, 'No delivery'],
  ['--resend ../../reset', 2, '--resend must be the id'],
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

it('--resend sends one again, whatever became of it', async () => {
  const { at } = await start('--json --allow-http-webhooks');
  const receiver = await startService((_received, response) => void response.writeHead(204).end());
  const arrivals = (): unknown[] => receiver.received.map(({ headers }) => headers['x-id-evento']);
  await home.svc(`api POST /v2/webhook-endpoints -f url=${receiver.url}/`, at);
  await home.svc(payout(), at);
  await expect.poll(arrivals).toHaveLength(1);
  const listed = await home.svc('sandbox deliveries', { wire: true });
  const [delivery] = (listed.json() as { deliveries: { id: string; event_id: string }[] }).deliveries;
  const short = delivery!.id.slice(0, 8);
  const person = { wire: true, tty: { stdout: true }, env: { NO_COLOR: '1' } };
  const { stdout } = await home.svc(`sandbox deliveries --resend ${short}`, person);
  expect(stdout).toMatch(new RegExp(`${short} +\\S* ?pending +payout\\.confirmed`));
  expect(stdout.split('\n').filter((line) => line.includes('payout'))).toHaveLength(1);
  expect(stdout).not.toContain('X-Firma');
  await expect.poll(arrivals).toEqual([delivery!.event_id, delivery!.event_id]);
  await receiver.stop();
});
