/** The lives of operations, embedded and against a server of its own process: the two transcripts are equal. */
import { afterAll, expect, it } from 'vitest';
import { startSandbox } from '../soak/sandbox.js';
import { debitOtp, incomingTransfer, payout } from '../support/requests.js';
import { world, type RunOptions, type World } from '../support/svc.js';

interface Step {
  /** `$NAME` stands for an id that a step before kept. */
  readonly type: readonly string[] | string;
  readonly exit: number;
  readonly stdin?: string;
  /** Keeps the operation's id under this name. */
  readonly keep?: string;
  /** Members of standard output. */
  readonly shows?: Readonly<Record<string, unknown>>;
  /** Members of the error object. */
  readonly error?: Readonly<Record<string, unknown>>;
}

const confirmed = { status: 'confirmed', pending_reason: null };
const failed = (code: string, reason: string) => ({ status: 'failed', failure: { code, reason } });
const awaitingCode = { status: 'pending', pending_reason: 'awaiting_code' };
const awaitingPayment = { status: 'pending', pending_reason: 'awaiting_payment' };
const processing = { status: 'pending', pending_reason: 'processing' };

const LIFE: Readonly<Record<string, readonly Step[]>> = {
  'debit_otp: a wrong code ends it': [
    { type: debitOtp(), exit: 0, keep: 'A', shows: awaitingCode },
    {
      type: 'payins confirm $A --code 000000',
      exit: 9,
      shows: failed('code_rejected', 'code_invalid'),
      error: { code: 'code_rejected', outcome: 'sent', retryable: false },
    },
    { type: 'payins confirm $A --code 123456', exit: 7, error: { code: 'code_not_expected', status: 409 } },
    { type: 'payins get $A', exit: 0, shows: failed('code_rejected', 'code_invalid') },
    { type: 'payins get $A --exit-status', exit: 9, error: { code: 'code_rejected' } },
  ],
  'debit_otp: resend, confirm': [
    { type: [...debitOtp(), '--reference', 'order 7'], exit: 0, keep: 'B', shows: { reference: 'order 7' } },
    { type: 'payins resend $B', exit: 0, shows: awaitingCode },
    { type: 'payin resend-code $B', exit: 0, shows: awaitingCode },
    { type: 'payins confirm $B --code -', stdin: '123456\n', exit: 0, shows: confirmed },
    { type: 'payins resend $B', exit: 7, error: { code: 'code_not_expected' } },
    { type: 'payins cancel $B', exit: 7, error: { code: 'not_cancellable' } },
    { type: 'transactions get $B', exit: 0, shows: confirmed },
  ],
  'incoming_transfer: paid': [
    { type: incomingTransfer(), exit: 0, keep: 'I', shows: awaitingPayment },
    { type: 'sandbox payment --for $I', exit: 0 },
    { type: 'payins get $I', exit: 0, shows: confirmed },
    { type: 'sandbox payment --for $I', exit: 0, shows: { attributed_to: null } },
  ],
  'payouts: confirmed, failed, looked up, cancelled': [
    { type: payout(), exit: 0, keep: 'M', shows: { ...confirmed, purpose: 'remittance' } },
    { type: 'payouts get $M', exit: 0, shows: confirmed },
    { type: 'payouts cancel $M', exit: 7, error: { code: 'not_cancellable' } },
    { type: payout('00000001'), exit: 9, error: { code: 'counterparty_rejected' } },
    { type: [...payout('00000002'), '--purpose', 'payroll'], exit: 0, keep: 'N', shows: processing },
    { type: 'payouts get $N', exit: 0, shows: { ...confirmed, purpose: 'payroll' } },
    { type: [...payout('00000002'), '--wait'], exit: 0, shows: confirmed },
    { type: payout('00000002'), exit: 0, keep: 'O' },
    { type: 'payouts cancel $O', exit: 0, shows: failed('cancelled', 'cancelled') },
    { type: 'transaction get $O --exit-status', exit: 9, error: { code: 'cancelled' } },
  ],
  refusals: [
    {
      type: payout('12345678', '0.10'),
      exit: 2,
      error: { code: 'amount_out_of_range', outcome: 'not_sent' },
    },
    { type: badBank(), exit: 6, error: { code: 'bank_unsupported', status: 400 } },
    { type: 'payins get 6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f', exit: 5, error: { code: 'not_found' } },
    { type: 'payouts cancel 6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f', exit: 5 },
    { type: 'methods --country XX', exit: 6, error: { code: 'country_unsupported' } },
    { type: 'events list --cursor forged', exit: 6, error: { code: 'field_invalid' } },
  ],
  'what is left behind': [
    { type: 'balances', exit: 0 },
    { type: 'events list --all', exit: 0 },
    { type: 'events list --limit 2', exit: 0 },
    { type: 'capabilities', exit: 0 },
    { type: 'methods --country VE --direction payout', exit: 0 },
    { type: 'banks --country VE --method debit_otp', exit: 0 },
    { type: 'api GET /v2/banks -f country=CL', exit: 0 },
  ],
};

/** A bank that exists and does not take the method: only the service knows. */
function badBank(): string[] {
  return payout().map((word) => (word === 'bank_code=0102' ? 'bank_code=0146' : word));
}

interface Said {
  readonly type: string;
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

const embedded = world();
const remote = world();
const server = await startSandbox(':memory:', remote.home);
afterAll(() => server.stop());
const there: RunOptions = {
  ...{
    env: { SVC_BASE_URL: `http://127.0.0.1:${String(server.port)}`, SVC_API_KEY: server.key },
    wire: true,
  },
};

it.each(Object.entries(LIFE))('%s', async (_, steps) => {
  const inside = await play(embedded, steps, {});
  const outside = await play(remote, steps, there);
  expect(outside).toEqual(inside);
});

it('says on every embedded command, and on no other, that nothing is configured', async () => {
  expect((await embedded.svc('balances')).stderr).toMatch(/^Embedded sandbox: [^\n]*\n$/);
  expect(await remote.svc('balances', there)).toMatchObject({ exitCode: 0, stderr: '' });
});

/** Ids that stand for themselves in every world. */
const kept = new Map<World, Map<string, string>>();

async function play(world: World, steps: readonly Step[], options: RunOptions): Promise<Said[]> {
  const ids = kept.get(world) ?? new Map<string, string>();
  kept.set(world, ids);
  const said: Said[] = [];
  for (const step of steps) {
    const typed = typeof step.type === 'string' ? step.type.split(' ') : step.type;
    const argv = typed.map((word) => word.replace(/^\$([A-Z])$/, (_, name: string) => ids.get(name) ?? ''));
    const result = await world.svc(argv, { ...options, stdin: step.stdin ?? '' });
    expect(result, `svc ${typed.join(' ')}\n${result.stderr}`).toMatchObject({ exitCode: step.exit });
    if (step.shows !== undefined) expect(result.json()).toMatchObject(step.shows);
    if (step.error !== undefined) {
      expect(result.error()).toMatchObject({ ...step.error, exit_code: step.exit });
    }
    if (step.keep !== undefined) ids.set(step.keep, String(result.json()['id']));
    said.push({ type: typed.join(' '), exit: result.exitCode, ...normalised(result) });
  }
  return said;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Ids, times and random keys differ from run to run; nothing else may. */
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
