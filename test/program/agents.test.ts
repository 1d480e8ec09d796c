import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { COMMAND_IDS } from '../../src/registry.js';
import { EXIT_MEANINGS } from '../../src/command/help/exit-codes.js';
import { machineWith } from '../support/machine.js';
import { pageOf, blockOf, linesOf, machine } from '../support/readme.js';
import { ADDRESS, shakySandbox } from '../support/shaky-sandbox.js';
import { world } from '../support/svc.js';
import { SENDING } from './sending.js';

const PAGE = pageOf('AGENTS.md');

const block = (name: string): string => blockOf(PAGE, name);

it('is one page, and its tour has six lines', () => {
  expect(PAGE.split(/\s+/).length).toBeLessThan(600);
  expect(linesOf(block('tour'))).toHaveLength(6);
});

it('each line of the tour runs, twice', async () => {
  const at = machine();
  for (const time of ['once', 'again']) {
    const [ended] = await at.codes(linesOf(block('tour')));
    // The output of `curl` does not end with a newline.
    const codes = [...ended.stdout.matchAll(/exit (\d+)$/gm)].map(([, code]) => Number(code));
    expect(codes, `${time}: ${ended.stdout}${ended.stderr}`).toEqual([0, 0, 0, 0, 0, 0]);
  }
  const operations = await at.paste("svc events list --jq '.events | length'");
  expect(operations.stdout).toBe('1\n');
  const schema = JSON.parse(readFileSync(join(at.home, 'payout.schema.json'), 'utf8')) as { type: string };
  expect(schema.type).toBe('object');
});

it('names every command that can send live, and no other', () => {
  const named = linesOf(block('moves'));
  for (const id of named) expect(COMMAND_IDS).toContain(id);
  expect([...named, 'webhooks register'].sort()).toEqual([...SENDING, ...GOING_ON].sort());
});

const GOING_ON = ['batches apply', 'batches resume'];

it('says what the codes mean', () => {
  for (const [code, words] of [
    [12, 'outcome unknown'],
    [13, 'a person decides'],
    [2, 'nothing was sent'],
    [9, 'the operation failed'],
  ] as const) {
    expect(EXIT_MEANINGS[code]).toContain(words);
    expect(PAGE).toContain(`**${String(code)}**`);
  }
});

it('the lock refuses whatever it is told', async () => {
  const home = world();
  const service = shakySandbox(home.clock);
  const env = {
    ...{ SVC_LOCK: 'sandbox', SVC_BASE_URL: ADDRESS, SVC_API_KEY: 'svc_live_sandbox_1', SVC_ENV: 'live' },
    SVC_INSECURE_LOOPBACK: '1',
  };
  const options = {
    env,
    transport: service.transport,
    machine: machineWith(() => ({ version: 1, payouts: { allow: 'all' } })),
  };
  const { exitCode, error } = await home.svc('balances --live --yes', options);
  expect([exitCode, error()['code']]).toEqual([13, 'locked']);
});
