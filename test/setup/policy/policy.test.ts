import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Machine } from '../../../src/runtime/ports.js';
import { readTrusted } from '../../../src/runtime/trusted-file.js';
import { BARE_MACHINE, machineWith } from '../../support/machine.js';
import { HAS_KEYGEN, KEYGEN, people, type People } from '../../support/signers.js';
import { world, type World } from '../../support/svc.js';

const POLICY = {
  version: 1,
  contact: 'treasury\u001b[31m desk',
  payouts: { allow: 'all', approvals: 2, currencies: { VES: { operation_max: '5000.00' } } },
};

let w: World;
let folder: string;
beforeAll(() => {
  w = world();
  folder = mkdtempSync(join(tmpdir(), 'svc-policy-'));
});
afterAll(() => {
  w.remove();
  rmSync(folder, { recursive: true, force: true });
});

const fileOf = (name: string, content: object | string | Uint8Array): string => {
  const path = join(folder, name);
  const isText = typeof content === 'string' || content instanceof Uint8Array;
  writeFileSync(path, isText ? content : JSON.stringify(content));
  return path;
};
const untrusted: Machine = {
  ...BARE_MACHINE,
  readTrusted: () => ({ kind: 'untrusted', why: '/etc/svc does not belong to root.' }),
};

const NEWER = 'version is 2, and this svc knows 1: a newer svc reads it.';

describe('show', () => {
  it('says that there is none', async () => {
    const shown = await w.svc('policy show -o table');
    expect([shown.exitCode, shown.stderr]).toEqual([0, '']);
    expect(shown.stdout).toBe(
      'policy  This machine has no policy: everything that a live key may do is sent.\nlock    This session has no lock.\n',
    );
    const nothing = { code: null, why: null, binds: false, policy: null, lock: null };
    const file = '/etc/svc/policy.json';
    expect((await w.svc('policy show')).json()).toEqual({ state: 'none', file, ...nothing });
  });

  it('says what is in force, and what drives a terminal is not passed on', async () => {
    const machine = machineWith(() => POLICY);
    const shown = await w.svc('policy show -o table', { machine });
    expect(shown.exitCode).toBe(0);
    expect(shown.stdout).toContain('2 people approve each batch');
    expect(shown.stdout).not.toContain('\u001b');
    const { policy, ...rest } = (await w.svc('policy show', { machine })).json();
    expect(rest).toMatchObject({ state: 'in_force', binds: true, code: null });
    const payouts = { allow: 'all', approvals: 2, hours: null };
    expect(policy).toMatchObject({ payouts, payins: { allow: 'read' }, webhooks: 'none' });
  });

  it('tells a lock, and works under it', async () => {
    const shown = await w.svc('policy show', { env: { SVC_LOCK: 'sandbox' } });
    expect([shown.exitCode, shown.json()['lock']]).toEqual([0, 'sandbox']);
  });

  it.each<[string, Machine, string, string]>([
    ['untrusted', untrusted, 'policy_untrusted', '/etc/svc does not belong to root.'],
    ['unreadable', machineWith(() => '{"version":1'), 'policy_unreadable', 'The file is not JSON.'],
    ['newer', machineWith(() => ({ version: 2 })), 'policy_newer', NEWER],
  ])('shows one that is %s, and ends with 13', async (_name, machine, code, why) => {
    const shown = await w.svc('policy show', { machine });
    expect(shown.exitCode).toBe(13);
    expect(shown.json()).toMatchObject({ state: 'unusable', code, why, binds: true, policy: null });
    expect(shown.error()).toMatchObject({ code, exit_code: 13, next_command: null });
    const checked = await w.svc('policy check', { machine });
    expect([checked.exitCode, checked.stdout, checked.error()['code']]).toEqual([13, '', code]);
  });
});

describe('check of a file', () => {
  it('says what it would mean', async () => {
    const file = fileOf('policy.json', POLICY);
    const checked = await w.svc(['policy', 'check', file, '-o', 'table']);
    expect(checked).toMatchObject({ exitCode: 0, stderr: '' });
    const said = 'It is in force once it stands as /etc/svc/policy.json and only root can change it.';
    expect(checked.stdout.replace(/\s+/g, ' ')).toContain(said);
    const meant = { file, policy: { payouts: { approvals: 2 } }, signers: null };
    expect((await w.svc(['policy', 'check', file])).json()).toMatchObject(meant);
  });

  it('follows links, whoever made them: it decides nothing here', async () => {
    const link = join(folder, 'link.json');
    symlinkSync(fileOf('there.json', POLICY), link);
    expect((await w.svc(['policy', 'check', link])).exitCode).toBe(0);
  });

  it('names each member that is wrong, and what it may hold', async () => {
    const file = fileOf('wrong.json', { version: 1, payouts: { allow: 'some' }, limits: {} });
    const checked = await w.svc(['policy', 'check', file]);
    expect([checked.exitCode, checked.stdout]).toEqual([14, '']);
    const message = 'payouts.allow must be one of "read", "cancel", "all".';
    const details = [
      { field: 'payouts.allow', code: 'invalid', message },
      { field: 'limits', code: 'unknown' },
    ];
    expect(checked.error()).toMatchObject({ code: 'policy_unreadable', details });
  });

  it('does not say all of a thousand', async () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`member-${String(at)}`, 1]));
    const error = (await w.svc(['policy', 'check', fileOf('many.json', { version: 1, ...many })])).error();
    expect(error['details']).toHaveLength(200);
    expect(String(error['message']).split('\n')).toHaveLength(22);
    expect(error['message']).toMatch(/and 980 more$/);
  });

  it.each<[string, () => string, string]>([
    ['newer', () => fileOf('newer.json', { version: 9 }), 'policy_newer'],
    ['not there', () => join(folder, 'nothing.json'), 'bad_file'],
    ['a folder', () => folder, 'bad_file'],
    ['a pipe or a device', () => '/dev/null', 'bad_file'],
    ['too large', () => fileOf('large.json', ' '.repeat(256 * 1024 + 1)), 'bad_file'],
  ])('ends with 14 where it is %s', async (_name, file, code) => {
    const checked = await w.svc(['policy', 'check', file()]);
    expect([checked.exitCode, checked.stdout, checked.error()['code']]).toEqual([14, '', code]);
  });
});

function inForceWith(others: Machine['readTrusted']): Machine {
  const inForce = machineWith(() => POLICY);
  const isPolicy = (path: string): boolean => path === inForce.policyFile;
  return {
    ...inForce,
    readTrusted: (path, options) => (isPolicy(path) ? inForce.readTrusted : others)(path, options),
  };
}

describe.skipIf(!HAS_KEYGEN)('lists of signers', () => {
  let them: People;
  let policy: string;
  let machine: Machine;
  beforeAll(() => {
    them = people();
    policy = fileOf('for-signers.json', POLICY);
    machine = { ...BARE_MACHINE, keygens: [KEYGEN], readTrusted };
  });
  afterAll(() => them.remove());
  const check = (list: string, on = machine, ...words: string[]) =>
    w.svc(['policy', 'check', policy, '--signers', list, ...words], { machine: on });

  it('are read line by line', async () => {
    const list = fileOf('good', them.list);
    const checked = await check(list);
    expect([checked.exitCode, checked.stderr]).toEqual([0, '']);
    expect(checked.json()).toMatchObject({ signers: list });
  });

  it('are counted by their keys, and are told to be too few', async () => {
    const [key, other] = ['ana', 'bob'].map((name) => readFileSync(`${them.key(name)}.pub`, 'utf8').trim());
    const approves = 'namespaces="svc-payroll-approval"';
    const table = async (lines: readonly string[]): Promise<string> => {
      const { stdout } = await check(fileOf('counted', `${lines.join('\n')}\n`), machine, '-o', 'table');
      return stdout.replaceAll(/\s+/g, ' ');
    };
    const twice = [`ana@example.com ${approves} ${key!}`, `other@example.com ${approves} ${key!}`];
    expect(await table(twice)).toContain(
      'Keys that may make a plan: 0. Keys that may approve one: 1. The policy asks for 2: nobody can send.',
    );
    const enough = await table([...twice, `bob@example.com ${other!}`]);
    expect(enough).toContain('Keys that may make a plan: 1. Keys that may approve one: 2. ');
    expect(enough).not.toContain('nobody can send');
  });

  it('are told with the lines that ssh-keygen passes over', async () => {
    const key = String(them.list).split('\n')[0]!.split(' ').slice(-2).join(' ');
    const lines = [
      ...['# those who approve', '', `ana@example.com namespaces="svc-payroll-approval" ${key}`],
      `bob@example.com namespaces="svc-payroll-approval" valid-before="20270101" ${key}`,
      `carla@example.com namespace="svc-payroll-approval" ${key}`,
      'dora@example.com',
      `eva@example.com valid-before="tomorrow" ${key}`,
      key,
      `frank@example.com ssh-ed25519 AAAA`,
    ];
    const checked = await check(fileOf('bad', `${lines.join('\n')}\n`));
    expect([checked.exitCode, checked.stdout]).toEqual([14, '']);
    const error = checked.error();
    expect(error['code']).toBe('signers_passed_over');
    expect((error['details'] as { field: string }[]).map(({ field }) => field)).toEqual(
      [4, 5, 6, 7, 8, 9].map((line) => `line ${String(line)}`),
    );
    expect(error['message']).toContain('Options are separated by commas, without spaces.');
  });

  it('are told where a byte order mark hides the first name', async () => {
    const checked = await check(fileOf('marked', `\ufeff${String(them.list)}`));
    expect(checked.error()).toMatchObject({ details: [{ field: 'line 1' }] });
  });

  it('need ssh-keygen, and end with 16 without one', async () => {
    const checked = await check(fileOf('none', them.list), BARE_MACHINE);
    expect([checked.exitCode, checked.error()['code']]).toEqual([16, 'keygen_missing']);
  });

  it.each<[string, Machine['readTrusted'], string]>([
    ['not there', () => ({ kind: 'absent' }), 'signers_missing'],
    ['untrusted', () => ({ kind: 'untrusted', why: 'It is not of root.' }), 'signers_untrusted'],
  ])('of this machine end with 13 where they are %s', async (_name, list, code) => {
    const checked = await w.svc('policy check', { machine: inForceWith(list) });
    expect(checked.error()).toMatchObject({ exit_code: 13, code });
  });

  it('of this machine are read where people approve', async () => {
    const own: Machine['readTrusted'] = (path, options) =>
      path === '/etc/svc/allowed_signers'
        ? { kind: 'bytes', bytes: them.list, binds: true }
        : readTrusted(path, options);
    const checked = await w.svc('policy check', { machine: { ...inForceWith(own), keygens: [KEYGEN] } });
    expect([checked.exitCode, checked.json()['signers']]).toEqual([0, '/etc/svc/allowed_signers']);
  });
});
