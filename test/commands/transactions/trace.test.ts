/** `svc transactions trace`: states, event and deliveries of one operation, in order. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { world, type World } from '../../support/svc.js';

let home: World;
beforeEach(() => {
  home = world();
});
afterEach(() => home.remove());

const create = async (number: string, more = ''): Promise<string> => {
  const { stdout } = await home.svc(
    'payouts create --method mobile_payment --country VE --currency VES --amount 10.00 --beneficiary document.type=V ' +
      `--beneficiary document.number=${number} --beneficiary bank_code=0105 --beneficiary account_number=04149876543 --jq .id ${more}`,
  );
  return stdout.trim();
};

interface Trace {
  readonly operation: { readonly id: string };
  readonly timeline: {
    readonly at: string;
    readonly what: string;
    readonly outcome: string;
    readonly detail: string;
  }[];
}

async function trace(id: string): Promise<Trace> {
  const { exitCode, json, stderr } = await home.svc(`transactions trace ${id}`);
  expect(exitCode, stderr).toBe(0);
  return json() as unknown as Trace;
}

it('shows the states and the one event of a final operation, among many others', async () => {
  await create('12345678');
  const id = await create('00000001');
  await create('12345678');
  const { operation, timeline } = await trace(id);
  expect(operation.id).toBe(id);
  expect(timeline.map(({ what, outcome }) => [what, outcome])).toEqual([
    ['state', 'created'],
    ['state', 'failed'],
    ['event', 'payout.failed'],
  ]);
  expect(timeline[1]?.detail).toMatch(/counterparty_rejected \/ invalid_account/);
});

it('has no event where the operation is pending', async () => {
  const { stdout } = await home.svc(
    'payins create --method incoming_transfer --country VE --currency VES --amount 10.00 --payer document.type=V ' +
      '--payer document.number=12345678 --payer bank_code=0102 --jq .id',
  );
  expect((await trace(stdout.trim())).timeline).toEqual([
    expect.objectContaining({ what: 'state', outcome: 'pending', detail: 'awaiting_payment' }),
  ]);
});

it('shows the attempts of the deliveries in the sandbox', async () => {
  await home.svc('webhooks register --url https://shop.example/hooks');
  const id = await create('12345678');
  const before = await trace(id);
  expect(before.timeline.filter(({ what }) => what === 'delivery')).toEqual([]);
  const [event] = before.timeline.filter(({ what }) => what === 'event');
  expect(event?.detail).toMatch(/^[0-9a-f-]{36}$/);
});

it('is a table on a terminal, and its times are in order', async () => {
  const id = await create('00000002');
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
