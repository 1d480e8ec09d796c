import { expect, it } from 'vitest';
import type { Transport } from '../../src/runtime/transport.js';
import { debitOtp, payout } from '../support/requests.js';
import { eachWorld } from '../support/svc.js';

const KOLKATA = { offsetMinutes: () => 330 };
const TERMINAL = { stdout: true };
const ID = '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f';

const here = eachWorld('2026-09-23T15:00:00Z');

it.each([
  ['events list', /^2026-09-23 20:30:00\+0530 /m],
  ['events tail --no-follow', /^2026-09-23 20:30:00\+0530 /m],
  ['sandbox clock', /^Now +2026-09-23 20:30:00\+0530$/m],
])('svc %s on a terminal: local times, and UTC where it is asked for', async (line, shown) => {
  await here.svc(payout());
  const options = { zone: KOLKATA, tty: TERMINAL, env: { NO_COLOR: '1' } };
  expect((await here.svc(line, options)).stdout).toMatch(shown);
  const utc = (await here.svc(`${line} --utc`, options)).stdout;
  expect(utc).toMatch(/2026-09-23 15:00:00Z/);
  expect(utc).not.toContain('+0530');
});

it.each(['-o json', '-o ndjson', '-o csv', '--jq .', '--all'])(
  'events list %s is the same in each zone',
  async (form) => {
    await here.svc(payout());
    const line = `events list ${form}`;
    const { bytes } = await here.svc(line);
    expect(bytes.toString()).toContain('2026-09-23T15:00:00Z');
    for (const options of [{ zone: KOLKATA }, { zone: KOLKATA, tty: { stderr: true } }]) {
      expect((await here.svc(line, options)).bytes).toEqual(bytes);
      expect((await here.svc(`${line} --utc`, options)).bytes).toEqual(bytes);
    }
  },
);

it('says how long a code is still valid, and that it has expired, in sandbox time', async () => {
  const created = await here.svc([...debitOtp(), '-o', 'table']);
  expect(created.stdout).toMatch(/^Status +○ pending: waiting for the code, 5:00 left$/m);
  const [, id = ''] = /^Id +(\S+)$/m.exec(created.stdout) ?? [];
  await here.svc('sandbox clock advance 28s');
  expect((await here.svc(`payins get ${id} -o table`)).stdout).toMatch(/ waiting for the code, 4:32 left$/m);
  await here.svc('sandbox clock advance 5m');
  expect((await here.svc(`payins get ${id} -o table`)).stdout).toMatch(/pending: the code has expired; /);
  await here.svc(`payins resend ${id}`);
  expect((await here.svc(`payins get ${id} -o table`)).stdout).toMatch(/ waiting for the code, 5:00 left$/m);
});

it.each([
  ['two hours behind', [['Date', 'Wed, 23 Sep 2026 17:00:28 GMT']], / waiting for the code, 4:32 left$/m],
  ['unknown', [], / waiting for the code until\s+2026-09-23 17:05:00Z$/m],
  ['no date', [['Date', '1.5']], / waiting for the code until\s+2026-09-23 17:05:00Z$/m],
] as const)('counts by the Date of the answer where this machine is %s', async (_name, headers, shown) => {
  const operation = {
    ...{ id: ID, type: 'payin', status: 'pending', pending_reason: 'awaiting_code' },
    ...{ code_expires_at: '2026-09-23T17:05:00Z', updated_at: '2026-09-23T17:00:00Z' },
  };
  const transport: Transport = () =>
    Promise.resolve({ status: 200, headers, body: Buffer.from(JSON.stringify(operation)) });
  const env = { SVC_BASE_URL: 'https://api.example.com', SVC_API_KEY: 'svc_test_0123456789abcdef' };
  const { stdout } = await here.svc(`payins get ${ID} -o table`, { transport, env });
  expect(stdout).toMatch(shown);
});
