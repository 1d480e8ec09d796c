import { expect, it } from 'vitest';
import { incomingTransfer, payout } from '../../support/requests.js';
import { eachWorld } from '../../support/svc.js';

const home = eachWorld();

const create = async (line: readonly string[]): Promise<string> =>
  (await home.svc([...line, '--jq', '.id'])).stdout.trim();

interface Trace {
  readonly operation: { readonly id: string };
  readonly timeline: Readonly<Record<'at' | 'what' | 'outcome' | 'detail', string>>[];
}

async function trace(id: string): Promise<Trace> {
  const { exitCode, json, stderr } = await home.svc(`transactions trace ${id}`);
  expect(exitCode, stderr).toBe(0);
  return json() as unknown as Trace;
}

it('shows the states and the one event of a final operation, among many others', async () => {
  await create(payout());
  const id = await create(payout('00000001'));
  await create(payout());
  const { operation, timeline } = await trace(id);
  expect(operation.id).toBe(id);
  const told = timeline.map(({ what, outcome }) => `${what} ${outcome}`);
  expect(told).toEqual(['state created', 'state failed', 'event payout.failed']);
  expect(timeline[1]?.detail).toMatch(/counterparty_rejected \/ invalid_account/);
});

it('has no event where the operation is pending', async () => {
  const { timeline } = await trace(await create(incomingTransfer()));
  expect(timeline).toMatchObject([{ what: 'state', outcome: 'pending', detail: 'awaiting_payment' }]);
});

it('shows the attempts of the deliveries in the sandbox', async () => {
  await home.svc('webhooks register --url https://shop.example/hooks');
  const id = await create(payout());
  const before = await trace(id);
  expect(before.timeline.filter(({ what }) => what === 'delivery')).toEqual([]);
  const [event] = before.timeline.filter(({ what }) => what === 'event');
  expect(event?.detail).toMatch(/^[0-9a-f-]{36}$/);
});

it('is a table on a terminal, and its times are in order', async () => {
  const id = await create(payout('00000002'));
  home.clock.advance(120_000);
  await home.svc(`payouts get ${id}`);
  const { timeline } = await trace(id);
  expect(timeline.map(({ at }) => at)).toEqual([...timeline.map(({ at }) => at)].sort());
  const { stdout } = await home.svc(`transactions trace ${id}`, { tty: { stdout: true }, columns: 120 });
  expect(stdout).toMatch(/payout\.confirmed/);
});

it.each([
  ['6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f', 5],
  ['nonsense', 2],
])('%s ends with %i', async (id, exitCode) => {
  expect((await home.svc(`transactions trace ${id}`)).exitCode).toBe(exitCode);
});
