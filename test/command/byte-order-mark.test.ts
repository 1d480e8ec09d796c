import { expect, it } from 'vitest';
import { altered } from '../support/altered.js';
import { KEY, shop } from '../support/open-request.js';
import { debitOtp, payout } from '../support/requests.js';

const MARK = Buffer.from('\ufeff');
const ANSI = { stdout: true, stderr: true };

function behindMark() {
  const world = shop();
  const { home, service } = world;
  const transport = altered(service.transport, /./, (body) => Buffer.concat([MARK, body]));
  return { ...world, plain: service.transport, transport, home };
}

it('a create is settled by one, and its bytes pass through', async () => {
  const { svc, transport, open } = behindMark();
  const made = await svc([...payout(), '--idempotency-key', KEY], { transport });
  expect(made.exitCode, made.stderr).toBe(0);
  expect(made.bytes.subarray(0, 4)).toEqual(Buffer.from('\ufeff{'));
  expect(await open()).toEqual([]);
});

it('a create with --wait and --jq prints what the filter makes of it', async () => {
  const { svc, transport } = behindMark();
  const made = await svc([...payout('00000002'), '--wait', '--jq', '.status'], { transport });
  expect(made).toMatchObject({ exitCode: 0, stdout: 'confirmed\n' });
});

it('an operation is the same in every output, but for the mark where bytes pass through', async () => {
  const { svc, transport } = behindMark();
  const id = String((await svc(payout())).json()['id']);
  for (const line of [
    ...[`payouts get ${id} --jq .amount`, `payouts get ${id} -o table`, `payouts get ${id} -o ndjson`],
    ...[`transactions trace ${id}`, `transactions trace ${id} --jq .timeline`],
    `operations find ${id} --json`,
  ]) {
    const [plain, read] = [await svc(line), await svc(line, { transport })];
    expect(plain.exitCode, plain.stderr).toBe(0);
    expect(read, line).toMatchObject({ exitCode: 0, stdout: plain.stdout });
  }
  const plain = await svc(`payouts get ${id}`);
  for (const line of [`payouts get ${id}`, `payouts get ${id} -o json`]) {
    const { exitCode, bytes } = await svc(line, { transport });
    expect({ exitCode, bytes }).toEqual({ exitCode: 0, bytes: Buffer.concat([MARK, plain.bytes]) });
  }
});

it('at a terminal it is laid out as without it', async () => {
  const { svc, transport } = behindMark();
  const id = String((await svc(payout())).json()['id']);
  const line = `payouts get ${id} --no-color -o json`;
  const read = await svc(line, { transport, tty: ANSI });
  expect(read.stdout).toBe((await svc(line, { tty: ANSI })).stdout);
});

it.each([
  ...['events list --jq .events[].id', 'events list -o csv', 'events list -o ndjson', 'events list --all'],
  ...['events list -o table', 'events tail --no-follow --from start', 'balances -o csv', 'balances --jq .'],
  ...['banks --country VE -o ndjson', 'capabilities --jq .countries[].code'],
  'api GET /v2/events --jq .events[].type',
])('the list of %s is found', async (line) => {
  const { svc, transport } = behindMark();
  await svc(payout());
  const plain = await svc(line);
  expect(plain.stdout, plain.stderr).not.toBe('');
  expect(await svc(line, { transport })).toMatchObject({ exitCode: 0, stdout: plain.stdout });
});

it('a refusal is understood', async () => {
  const { svc, service } = shop();
  const transport: typeof service.transport = async (request, options) => {
    const answer = await service.transport(request, options);
    return { ...answer, body: Buffer.concat([MARK, answer.body]) };
  };
  const refused = await svc('payouts get 6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f', { transport });
  expect(refused.failure()).toBe('5 not_found');
});

it('a person is told what comes next', async () => {
  const { svc, transport } = behindMark();
  const made = await svc(debitOtp(), { transport, tty: ANSI });
  expect(made.stderr).toMatch(/svc payins confirm [0-9a-f-]{36}/);
});
