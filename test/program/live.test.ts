/** Live: a person at a terminal confirms a create or a cancel; a script is never asked. */
import { stripVTControlCharacters } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ID, operation, payout } from '../support/requests.js';
import { inTurn, json, startService, type Service } from '../support/service.js';
import { world, type RunOptions, type World } from '../support/svc.js';

let service: Service;
let home: World;
beforeAll(async () => {
  service = await startService((received, response, socket) => {
    const { target } = received;
    const status = target.endsWith('/cancel') ? 'failed' : 'pending';
    const type = target.includes('/payins/') ? 'payin' : 'payout';
    const answer = operation({ type, status, beneficiary: 'Ana', reference: 'order 7' });
    inTurn(json(200, answer))(received, response, socket);
  });
});
afterAll(() => service.stop());
beforeEach(() => {
  home = world();
  service.received.length = 0;
});
afterEach(() => home.remove());

const PERSON = { stdin: true, stderr: true } as const;
const posts = (): string[] =>
  service.received.filter(({ method }) => method === 'POST').map(({ target }) => target);

function live(type: readonly string[], options: RunOptions = {}) {
  const env = { SVC_BASE_URL: service.url, SVC_API_KEY: 'svc_live_0123456789', ...options.env };
  const argv = [...type, '--live', '--insecure-loopback'];
  return home.svc(argv, { ...options, env, wire: true });
}

const LINES = [payout(), ['payouts', 'cancel', ID], ['payins', 'cancel', ID]] as const;
const pathOf = (line: readonly string[]): string =>
  line[1] === 'create' ? '/v2/payouts' : `/v2/${line[0] ?? ''}/${ID}/cancel`;

describe.each(LINES.map((line) => [line.slice(0, 2).join(' '), line] as const))('%s', (_, line) => {
  it('asks a person, who sees what it is about, and takes yes', async () => {
    const result = await live(line, { tty: PERSON, stdin: 'yes\n' });
    const stderr = stripVTControlCharacters(result.stderr);
    expect(result.exitCode, stderr).toBe(0);
    expect(stderr).toContain('LIVE');
    expect(stderr).toMatch(/^What is sent\n(?: .*\n)* +Amount +5\.00 VES\n/m);
    expect(stderr).toMatch(/^Where it goes\n +Environment +live\n +Host +http:\S+\n/m);
    expect(stderr).toMatch(/^Beneficiary\n +\S/m);
    expect(stderr).not.toMatch(/[{}]/);
    expect(posts()).toEqual([pathOf(line)]);
  });

  it.each(['no\n', '\n', '', 'y\n'])('takes %j for no: 13, nothing sent', async (stdin) => {
    const result = await live(line, { tty: PERSON, stdin });
    expect(result.exitCode).toBe(13);
    expect(posts()).toEqual([]);
  });

  it.each<[string, readonly string[], RunOptions]>([
    ['a script', [], {}],
    ['--yes', ['--yes'], { tty: PERSON }],
    ['--no-input', ['--no-input'], { tty: PERSON }],
    ['CI', [], { tty: PERSON, env: { CI: 'true' } }],
    ['standard error in a file', [], { tty: { stdin: true, stdout: true } }],
  ])('does not ask: %s', async (_name, flags, options) => {
    const { exitCode, stderr } = await live([...line, ...flags], options);
    expect(exitCode, stderr).toBe(0);
    expect(stderr).not.toContain('LIVE');
    expect(posts()).toEqual([pathOf(line)]);
  });
});

it('cancels nothing that cannot be shown', async () => {
  const broken = await startService(json(500, ''));
  const env = { SVC_BASE_URL: broken.url };
  const result = await live(['payouts', 'cancel', ID], { env, tty: PERSON, stdin: 'yes\n' });
  expect(result.exitCode).toBe(10);
  expect(broken.received.every(({ method }) => method === 'GET')).toBe(true);
  await broken.stop();
});

it('asks nobody in the sandbox', async () => {
  const { exitCode, stderr } = await home.svc(payout(), { tty: PERSON });
  expect(exitCode).toBe(0);
  expect(stderr).not.toContain('LIVE');
});
