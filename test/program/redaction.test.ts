import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { COMMAND_IDS } from '../../src/registry.js';
import { debitOtp, ID, payout } from '../support/requests.js';
import { world } from '../support/svc.js';

const KEY = 'svc_test_CANARYcanary0123456789';
const CODE = '739184';

it('keeps a code out of the next command where nothing was sent', async () => {
  const home = world();
  const env = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: KEY };
  const { stderr, error } = await home.svc(`payins confirm ${ID} --code ${CODE}`, { env, wire: true });
  expect(stderr).not.toContain(CODE);
  expect(error()).toMatchObject({ exit_code: 11, next_command: `svc payins confirm ${ID}` });
});

it('keeps what was typed whole in the next command: a masked document would be another request', async () => {
  const home = world();
  const env = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: KEY };
  const { error } = await home.svc(payout('12345678'), { env, wire: true });
  expect(String(error()['next_command'])).toContain('--beneficiary document.number=12345678');
  expect(String(error()['next_command'])).toMatch(/ --idempotency-key [0-9a-f]{32}$/);
});

it('keeps it whole too where --new-payment names what nobody knows', async () => {
  const home = world();
  const unknown = [...payout('12345678'), '--reference', 'r-1', '--as-live', '--new-payment', ID];
  const { exitCode, error } = await home.svc(unknown);
  expect(exitCode).toBe(2);
  const line = String(error()['next_command']);
  expect(line).toContain('--beneficiary document.number=12345678');
  expect(line).not.toMatch(/--new-payment|\*\*\*/);
});

it('masks personal data in --debug', async () => {
  const home = world();
  const line = debitOtp('98765432').map((word) => word.replace('04121234567', '04129999999'));
  const { stderr } = await home.svc([...line, '--debug']);
  expect(stderr).toContain('> POST ');
  expect(stderr).toContain('***5432');
  expect(stderr).not.toContain('98765432');
  expect(stderr).not.toContain('04129999999');
  expect(stderr).toMatch(/authorization: Bearer (svc_test_)?\*+\n/);
});

it.each(COMMAND_IDS)('svc %s refuses a key among its arguments and does not repeat it', async (id) => {
  const home = world();
  for (const hidden of [
    KEY,
    KEY.replace('test', 'live'),
    `--data={"k":"${KEY}"}`,
    `--base-url=http://${KEY}@h`,
  ]) {
    const result = await home.svc([...id.split(' '), '--json', hidden]);
    expect(result.exitCode).toBe(2);
    expect(result.stdout).toBe('');
    expect(result.stderr).not.toContain('CANARY');
    expect(result.error()).toMatchObject({ code: 'usage', outcome: 'not_sent' });
  }
  expect(filesBelow(home.home)).toEqual([]);
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'));
}
