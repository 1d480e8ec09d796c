import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Machine } from '../../../src/runtime/ports.js';
import { type Transport, NotAnswered } from '../../../src/runtime/transport.js';
import { BARE_MACHINE } from '../../support/machine.js';
import { csv, fileIn, people } from '../../support/payroll.js';
import { shakySandbox, type ShakySandbox } from '../../support/shaky-sandbox.js';
import { eachWorld, watched, type Result, type RunOptions } from '../../support/svc.js';
import { refused } from '../../support/feed-line.js';
import { LOST } from '../../support/open-request.js';
import { payout } from '../../support/requests.js';
import { IS_REST } from '../../support/rest.js';

type Check = Readonly<Record<'check' | 'status' | 'message', string>> & { readonly fix: string | null };

const here = eachWorld();
let service: ShakySandbox;

beforeEach(() => (service = shakySandbox(here.clock)));

function checks(result: Result): Check[] {
  return (result.json() as { checks: Check[] }).checks;
}

function find(result: Result, name: string): Check {
  const found = checks(result).find(({ check }) => check === name);
  expect(found, `${name} in ${result.stdout}`).toBeDefined();
  return found!;
}

function fileOf(folder: string, name: string, mode: number, content = ''): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = fileIn(folder, name, content);
  chmodSync(path, mode);
  return path;
}

function doctor(options: RunOptions = {}): Promise<Result> {
  return here.svc('doctor', { env: service.env, transport: service.transport, ...options });
}

function dated(offMs: number): Transport {
  return async (request, options) => {
    const url = request.url.replace('https://api.example.com', service.env['SVC_BASE_URL'] ?? '');
    const answer = await service.transport({ ...request, url }, options);
    const date = new Date(here.clock.now() + offMs).toUTCString();
    const headers = answer.headers.filter(([name]) => name.toLowerCase() !== 'date');
    return { ...answer, headers: [...headers, ['date', date] as const] };
  };
}

const refusing: (reason: 'connect' | 'tls') => Transport = (reason) => () =>
  Promise.reject(new NotAnswered(reason, false, `no ${reason}`));

describe('svc doctor', () => {
  describe.runIf(IS_REST)('says of live sendings', () => {
    const on = (machine: Partial<Machine>, env = {}): Promise<Result> =>
      here.svc('doctor', { machine: { ...BARE_MACHINE, ...machine }, env });
    const policy = { version: 1, payouts: { allow: 'all', approvals: 1 }, payins: { allow: 'cancel' } };
    const bytes = Buffer.from(JSON.stringify(policy));
    const trusted = (path: string, binds: boolean): ReturnType<Machine['readTrusted']> =>
      path === BARE_MACHINE.policyFile ? { kind: 'bytes', bytes, binds } : { kind: 'absent' };

    it('that nothing binds them', async () => {
      const result = await on({});
      const { status, message } = find(result, 'policy');
      expect([status, message]).toEqual(['ok', expect.stringMatching(/^none/)]);
      expect(find(result, 'lock')).toMatchObject({ status: 'ok', message: 'none' });
      expect(checks(result).some(({ check }) => check === 'ssh-keygen')).toBe(false);
    });

    it('the policy that is in force, and that approvals cannot be checked where it asks for them', async () => {
      const result = await on({ readTrusted: (path) => trusted(path, true) });
      const message = 'in force, payouts: all, pay-ins: cancel';
      expect(find(result, 'policy')).toMatchObject({ status: 'ok', message });
      expect(find(result, 'ssh-keygen')).toMatchObject({ status: 'error', fix: null });
      expect(result.exitCode).toBe(16);
    });

    it.each([
      ['no list', null, 'error', 'Nobody can approve. There is no /etc/svc/allowed_signers.'],
      ['too few', [], 'warning', '0 of the 1 that the policy asks for may approve now'],
      ['one that is over', [-1], 'warning', '0 of the 1 that the policy asks for may approve now'],
      ['one that ends', [13], 'warning', /^will soon lose the right to approve: a0@example.com \(line 1\)/],
      ['one that ends later', [15], 'ok', 'keys that may approve now: 1'],
      ['two that never end', [null, null], 'ok', 'keys that may approve now: 2'],
    ] as const)('who may approve: %s', async (_what, days, status, message) => {
      const lines = (days ?? []).map((day, at) => {
        const end = new Date(here.clock.now() + (day ?? 0) * 86_400_000).toISOString().slice(0, 10);
        const before = day === null ? '' : `,valid-before="${end.replaceAll('-', '')}Z"`;
        return `a${String(at)}@example.com namespaces="svc-payroll-approval"${before} ssh-ed25519 AAAA${String(at)}`;
      });
      const signers = { kind: 'bytes', bytes: Buffer.from(lines.join('\n')), binds: true } as const;
      const list = days === null ? ({ kind: 'absent' } as const) : signers;
      const readTrusted: Machine['readTrusted'] = (path) =>
        path === '/etc/svc/allowed_signers' ? list : trusted(path, true);
      const result = await on({ readTrusted });
      const wanted = typeof message === 'string' ? message : (expect.stringMatching(message) as string);
      expect(find(result, 'signers')).toMatchObject({ status, message: wanted });
    });

    it('that it binds nobody where root runs svc', async () => {
      const result = await on({ readTrusted: (path) => trusted(path, false) });
      expect(find(result, 'policy')).toMatchObject({ status: 'warning' });
      expect(find(result, 'policy').message).toContain('binds nobody');
    });

    it('why a policy is not believed', async () => {
      const why = '/etc/svc can be changed by the user who runs svc.';
      const result = await on({ readTrusted: () => ({ kind: 'untrusted', why }) });
      const message = `Live, only reads are sent. ${why}`;
      expect(find(result, 'policy')).toMatchObject({ status: 'error', message });
      expect(result.exitCode).toBe(13);
    });

    it('the tightest lock', async () => {
      const result = await on({ parentLocks: () => ['sandbox'] }, { SVC_LOCK: 'read-only' });
      expect(find(result, 'lock').message).toBe('sandbox: nothing is sent live');
      expect(result.exitCode).toBe(0);
    });
  });

  it('finds nothing wrong on a fresh machine, and leaves nothing behind but the sandbox', async () => {
    const result = await here.svc('doctor');
    expect(result.exitCode).toBe(0);
    expect(checks(result).filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(find(result, 'address').message).toBe('the embedded sandbox');
    expect(find(result, 'requests').message).toBe('none without an answer');
    expect(find(result, 'batches').message).toBe('no row with an unknown outcome');
    expect(find(result, 'catalog').message).toBe('version 1, not cached yet');
  });

  it('says of every setting where it came from, and shows no key', async () => {
    const result = await doctor();
    expect(find(result, 'environment').message).toBe('sandbox (the default)');
    expect(find(result, 'address').message).toBe(`${service.env['SVC_BASE_URL']!} (SVC_BASE_URL)`);
    expect(find(result, 'key').message).toMatch(/^svc_test_\.\.\.\w{4} \(SVC_API_KEY\)$/);
    expect(result.stdout + result.stderr).not.toContain(service.env['SVC_API_KEY']);
  });

  it('says where the key of a profile is kept', async () => {
    const key = service.env['SVC_API_KEY']!;
    await here.svc('profiles add shop --base-url http://localhost:4010 --key-stdin', { stdin: key });
    const result = await here.svc('doctor', { transport: service.transport });
    expect(find(result, 'profile').message).toBe('shop (the active profile)');
    expect(find(result, 'key storage').status).toBe('ok');
    expect(find(result, 'key storage').message).not.toBe('the key does not come from the profile');
  });

  it('says what stands in the way of any request', async () => {
    const result = await here.svc('doctor --live');
    expect(result.exitCode).toBe(4);
    expect(find(result, 'settings')).toMatchObject({ status: 'error' });
    expect(result.error()).toMatchObject({ code: 'not_well', exit_code: 4 });
  });

  it.each(['connect', 'tls'] as const)('says that the service is not reached: %s', async (reason) => {
    const result = await doctor({ transport: refusing(reason) });
    expect(result.exitCode).toBe(11);
    const found = find(result, reason === 'tls' ? 'TLS' : 'reachable');
    expect(found).toMatchObject({ status: 'error', fix: null });
  });

  it('says that the service does not know the key', async () => {
    const env = { ...service.env, SVC_API_KEY: 'svc_test_unknownunknown' };
    const result = await doctor({ env });
    expect(result.exitCode).toBe(4);
    const key = checks(result).findLast(({ check }) => check === 'key');
    expect(key).toMatchObject({ status: 'error' });
  });

  it.each([
    [0, 'ok', 'agrees'],
    [20_000, 'ok', '20 s behind'],
    [-90_000, 'warning', '90 s ahead'],
    [400_000, 'warning', 'webhooks fail verification'],
  ])('compares the clocks: off by %i ms is %s', async (offMs, status, text) => {
    const elsewhere = { ...service.env, SVC_BASE_URL: 'https://api.example.com' };
    const found = find(await doctor({ env: elsewhere, transport: dated(offMs) }), 'clock');
    expect(found).toMatchObject({ status, message: expect.stringContaining(text) as string });
  });

  it('takes the moved clock of a sandbox on this machine for what it is', async () => {
    const moved = { status: 'ok', message: '172800 s behind the sandbox, whose clock was moved' };
    const env = { ...service.env, SVC_BASE_URL: 'http://127.0.0.1:4010' };
    expect(find(await doctor({ env, transport: dated(172_800_000) }), 'clock')).toMatchObject(moved);
    await here.svc('sandbox clock advance 48h');
    expect(find(await here.svc('doctor'), 'clock')).toMatchObject(moved);
  });

  it('asks what the key may do', async () => {
    const { apiKey } = service.sandbox;
    const refusesBalances: Transport = async (request, options) =>
      request.url.endsWith('/balances') ? refused(403, 'scope_missing') : service.transport(request, options);
    const result = await doctor({ transport: refusesBalances, env: { ...service.env, SVC_API_KEY: apiKey } });
    expect(result.exitCode).toBe(0);
    expect(find(result, 'scope saldos:leer').status).toBe('warning');
    expect(find(result, 'scope operaciones:leer').status).toBe('ok');
  });

  it('finds files that others may read, and says what to type', async () => {
    const file = fileOf(here.ports.paths.config, 'extra', 0o644);
    const result = await here.svc('doctor');
    expect(result.exitCode).toBe(16);
    expect(find(result, 'files')).toMatchObject({ status: 'error', fix: `chmod 600 ${file}` });
  });

  it.each(['--jq .[', '-o yaml'])('refuses %s before it sends anything', async (flag) => {
    const sent: string[] = [];
    const transport = watched(service.transport, ({ url }) => sent.push(url));
    const result = await here.svc(`doctor ${flag}`, { env: service.env, transport });
    expect([result.exitCode, result.stdout, sent]).toEqual([2, '', []]);
  });

  it('leaves what Node keeps compiled to the folder that keeps others out', async () => {
    const compiled = join(here.home, '.cache/svc/compiled');
    mkdirSync(join(compiled, 'v24.0.0'), { recursive: true, mode: 0o700 });
    chmodSync(join(compiled, 'v24.0.0'), 0o755);
    expect(find(await here.svc('doctor'), 'files').status).toBe('ok');
    chmodSync(compiled, 0o755);
    expect(find(await here.svc('doctor'), 'files')).toMatchObject({ fix: `chmod 700 ${compiled}` });
  });

  it('finds requests whose outcome is not known', async () => {
    service.next(...LOST);
    const options = { env: service.env, transport: service.transport };
    expect((await here.svc(payout(), options)).exitCode).toBe(12);
    const result = await doctor();
    expect(result.exitCode).toBe(0);
    expect(find(result, 'requests')).toMatchObject({ status: 'warning', fix: 'svc requests list' });
    expect(find(result, 'catalog').message).toMatch(/cached \d+ min ago/);
  });

  it('finds rows of batches whose outcome is not known', async () => {
    fileIn(here.home, 'pay.csv', csv(people(2)));
    service.next(...LOST);
    const options = { env: service.env, transport: service.transport };
    await here.svc(`payouts batch ${join(here.home, 'pay.csv')} --concurrency 1`, options);
    const result = await doctor();
    expect(find(result, 'batches')).toMatchObject({ status: 'warning', fix: 'svc batches list' });
    expect(find(result, 'batches').message).toContain('The outcome of 1 row is unknown');
    await here.svc('batches resume pay', options);
    expect(find(await doctor(), 'batches').status).toBe('ok');
  });

  it.each([
    ['requests', 'requests.db'],
    ['batches', 'batches.db'],
  ])('says what is wrong with a damaged store of %s, and everything else as well', async (check, file) => {
    fileOf(here.ports.paths.state, file, 0o600, 'no database at all'.repeat(100));
    const result = await doctor();
    expect(result.exitCode).toBe(16);
    expect(find(result, check).status).toBe('error');
    expect(checks(result).filter(({ status }) => status === 'error')).toHaveLength(1);
    expect(find(result, 'key').status).toBe('ok');
  });

  it('shows the host of a proxy, and not its password', async () => {
    const HTTPS_PROXY = 'http://user:hunter2@proxy.example:3128';
    const on = (env: Record<string, string>) => here.svc('doctor', { env: { HTTPS_PROXY, ...env } });
    const result = await on({});
    expect(find(result, 'proxy').message).toBe('proxy.example:3128');
    const message = expect.stringContaining('(CIDR) in NO_PROXY are not understood') as string;
    for (const NO_PROXY of ['10.0.0.0/8', '.corp,fd00::/8', 'localhost 192.168.1.0/24'])
      expect(find(await on({ NO_PROXY }), 'proxy')).toMatchObject({ status: 'warning', message });
    expect(result.stdout).not.toContain('hunter2');
    expect(find(await on({ HTTPS_PROXY: 'no url' }), 'proxy').status).toBe('warning');
  });

  it.each([40, 60, 120])('fits a terminal of %i columns', async (columns) => {
    const person = { tty: { stdout: true }, columns, env: { NO_COLOR: '1' } };
    const { stdout, exitCode } = await here.svc('doctor', person);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^✓ ok +node/m);
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(columns);
  });
});
