import { afterAll, expect, it } from 'vitest';
import { startSandbox } from '../soak/sandbox.js';
import { debitOtp, incomingTransfer, payout } from '../support/requests.js';
import { world, type RunOptions, type World } from '../support/svc.js';

/** `$A` in a line stands for the id that an earlier step stored under the name A. */
type Step = readonly [
  exit: number,
  line: readonly string[] | string,
  keep?: string | undefined,
  stdin?: string,
];

const LIFE: Readonly<Record<string, readonly Step[]>> = {
  'debit_otp: a wrong code ends it': [
    [0, debitOtp(), 'A'],
    [9, 'payins confirm $A --code 000000'],
    [7, 'payins confirm $A --code 123456'],
    [0, 'payins get $A'],
    [9, 'payins get $A --exit-status'],
  ],
  'debit_otp: resend, confirm': [
    [0, [...debitOtp(), '--reference', 'order 7'], 'B'],
    [0, 'payins resend $B'],
    [0, 'payin resend-code $B'],
    [0, 'payins confirm $B --code -', undefined, '123456\n'],
    [7, 'payins resend $B'],
    [7, 'payins cancel $B'],
    [0, 'transactions get $B'],
  ],
  'incoming_transfer: paid': [
    [0, incomingTransfer(), 'I'],
    [0, 'sandbox payment --for $I'],
    [0, 'payins get $I'],
    [0, 'sandbox payment --for $I'],
  ],
  'payouts: confirmed, failed, looked up, cancelled': [
    [0, payout(), 'M'],
    [0, 'payouts get $M'],
    [7, 'payouts cancel $M'],
    [9, payout('00000001')],
    [0, [...payout('00000002'), '--purpose', 'payroll'], 'N'],
    [0, 'payouts get $N'],
    [0, [...payout('00000002'), '--wait']],
    [0, payout('00000002'), 'O'],
    [0, 'payouts cancel $O'],
    [9, 'transaction get $O --exit-status'],
  ],
  refusals: [
    [2, payout('12345678', '0.10')],
    [6, badBank()],
    [5, 'payins get 6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f'],
    [5, 'payouts cancel 6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f'],
    [6, 'methods --country XX'],
    [6, 'events list --cursor forged'],
  ],
  'what is left behind': [
    [0, 'balances'],
    [0, 'events list --all'],
    [0, 'events list --limit 2'],
    [0, 'capabilities'],
    [0, 'methods --country VE --direction payout'],
    [0, 'banks --country VE --method debit_otp'],
    [0, 'api GET /v2/banks -f country=CL'],
  ],
};

/** The bank exists but does not take the method, which only the service knows. */
function badBank(): string[] {
  return payout().map((word) => (word === 'bank_code=0102' ? 'bank_code=0146' : word));
}

const embedded = world();
const remote = world();
const server = await startSandbox(':memory:', remote.home);
afterAll(() => server.stop());
const there: RunOptions = {
  env: { SVC_BASE_URL: `http://127.0.0.1:${String(server.port)}`, SVC_API_KEY: server.key },
  wire: true,
};

it.each(Object.entries(LIFE))('%s', async (_, steps) => {
  const inside = await play(embedded, steps, {});
  const outside = await play(remote, steps, there);
  expect(outside).toEqual(inside);
});

const kept = new Map<World, Map<string, string>>();

async function play(world: World, steps: readonly Step[], options: RunOptions) {
  const ids = kept.get(world) ?? new Map<string, string>();
  kept.set(world, ids);
  const said: { type: string; stdout: string; stderr: string }[] = [];
  for (const [exit, line, keep, stdin = ''] of steps) {
    const typed = typeof line === 'string' ? line.split(' ') : line;
    const argv = typed.map((word) => word.replace(/^\$([A-Z])$/, (_, name: string) => ids.get(name) ?? ''));
    const result = await world.svc(argv, { ...options, stdin });
    expect(result.exitCode, `svc ${typed.join(' ')}\n${result.stderr}`).toBe(exit);
    if (keep !== undefined) ids.set(keep, String(result.json()['id']));
    said.push({ type: typed.join(' '), ...normalised(result) });
  }
  return said;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Only ids, times and random keys may differ from run to run. */
function normalised({ stdout, stderr }: { stdout: string; stderr: string }) {
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? `<id ${names.size}>`;
    names.set(id, name);
    return name;
  };
  const settle = (text: string): string =>
    text
      .replace(/^Embedded sandbox: .*\n/m, '')
      .replace(UUID, nameOf)
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<time>')
      .replace(/(Cobro|Pago) ([A-Z]{3})[0-9A-F]{6}/g, '$1 $2<id>')
      .replace(/\b[0-9a-f]{32}\b/g, '<key>')
      .replace(/"next_cursor":"[^"]+"/g, '"next_cursor":"<cursor>"');
  return { stdout: settle(stdout), stderr: settle(stderr) };
}
