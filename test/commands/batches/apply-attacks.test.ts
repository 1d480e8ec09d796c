/** Attacks on a plan on its way to `svc batches apply`: on its bytes, its signatures and `ssh-keygen`. Judged by what reached the service: nothing. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NAMESPACES } from '../../../src/guard/approval/signature.js';
import { batchHome } from '../../support/batch-home.js';
import { people as employees } from '../../support/payroll.js';
import { approvalsPolicy, planBytes, putPlan, type SignedBy, treasury } from '../../support/plans.js';
import { falseKeygen, HAS_KEYGEN, KEYGEN, people, type People } from '../../support/signers.js';
import type { Result, RunOptions } from '../../support/svc.js';

const ROWS = employees(3);

describe.skipIf(!HAS_KEYGEN)('an attack', () => {
  const here = batchHome(ROWS, 'live');
  let someone: People;
  beforeAll(() => (someone = people()));
  afterAll(() => someone.remove());

  const bytes = (): Buffer => planBytes(ROWS, { maker: someone.fingerprint('maker') });
  const MADE: SignedBy = [['maker', 'maker']];
  const BY = (...keys: string[]): SignedBy => [...MADE, ...keys.map((key) => [key, 'approver'] as const)];
  const machineOf = (approvals: number, keygens?: readonly string[]) =>
    treasury(
      () => approvalsPolicy(approvals),
      () => someone.list,
      keygens,
    );
  const apply = (plan: string, approvals = 1, options: RunOptions = {}): Promise<Result> =>
    here.svc(`batches apply ${plan} --first-here --json`, { machine: machineOf(approvals), ...options });

  async function refuses(result: Promise<Result>, code: string, exit = 13): Promise<void> {
    const { exitCode, stderr } = await result;
    expect(exitCode, stderr).toBe(exit);
    expect(stderr).toContain(`"code":"${code}"`);
    expect(here.shaky.posts).toEqual([]);
  }

  it('is none: the same plan, signed by its maker and approved by another, is sent', async () => {
    const sent = await apply(putPlan(here.home.home, bytes(), BY('bob'), someone));
    expect(sent.exitCode, sent.stderr).toBe(0);
    expect(here.shaky.posts).toHaveLength(3);
  });

  it.each<[string, string[], number]>([
    ['nobody', [], 1],
    ['the maker, with the same key', ['maker'], 1],
    ['the maker, with a second key', ['maker2'], 1],
    ['one person with two keys', ['ana', 'ana2'], 2],
    ['one key with two names, and one of those with another key', ['shared', 'shared2'], 2],
    ['a line with two names', ['wide'], 1],
    ['a line with a pattern', ['wild'], 1],
    ['one key that was certified for two names', ['hugo-as-hugo', 'hugo-as-iris'], 2],
    ['a certificate that is over', ['hugo-over'], 1],
    ['a certificate for nobody', ['hugo-nameless'], 1],
    ['the bare key of a certificate', ['hugo'], 1],
    ['a signer whose time has not come', ['young'], 1],
    ['a bot that may only make plans', ['bot'], 1],
    ['somebody whom nobody knows', ['evil'], 1],
  ])('is approved by %s', async (_, keys, approvals) => {
    await refuses(
      apply(putPlan(here.home.home, bytes(), BY(...keys), someone), approvals),
      'approvals_missing',
    );
  });

  it('hides its maker, who approves it', async () => {
    const plan = putPlan(here.home.home, planBytes(ROWS), [['maker', 'approver']], someone);
    await refuses(apply(plan), 'approvals_missing');
  });

  it('names a maker who has not signed it', async () => {
    const other = planBytes(ROWS, { maker: someone.fingerprint('ana') });
    const plan = putPlan(
      here.home.home,
      other,
      [
        ['maker', 'maker'],
        ['maker', 'approver'],
      ],
      someone,
    );
    await refuses(apply(plan), 'maker_unsigned');
  });

  it.each(['git', 'file', NAMESPACES.maker])('has a signature that was made for %s', async (namespace) => {
    const plan = putPlan(here.home.home, bytes(), MADE, someone);
    writeFileSync(`${plan}.x.sig`, someone.sign(bytes(), 'bob', namespace));
    await refuses(apply(plan), 'approvals_missing');
  });

  it.each<[string, (text: string) => string]>([
    [
      'two amounts are exchanged',
      (text) => text.replace('100.50', '@').replace('101.50', '100.50').replace('@', '101.50'),
    ],
    ['the rows are in another order', (text) => text.replace(/\n(.*)\n(.*)\n/, '\n$2\n$1\n')],
    ['an account is another', (text) => text.replace('04121000001', '04129999999')],
    ['it ends later', (text) => text.replace('2026-09-26', '2026-09-27')],
  ])('changes what was signed: %s', async (_, change) => {
    const plan = putPlan(here.home.home, bytes(), BY('bob', 'carla'), someone);
    const changed = change(bytes().toString());
    expect(changed).not.toBe(bytes().toString());
    writeFileSync(plan, changed);
    const result = await apply(plan, 1, {
      machine: treasury(
        () => ({ ...approvalsPolicy(1), approvals: { valid_for: '240h' } }),
        () => someone.list,
      ),
    });
    await refuses(Promise.resolve(result), 'maker_unsigned');
  });

  it.each<[string, (text: string) => string, string]>([
    ['a space in a row', (text) => text.replace('"amount":"101.50"', '"amount": "101.50"'), 'plan_damaged'],
    ['CRLF', (text) => text.replaceAll('\n', '\r\n'), 'plan_damaged'],
    ['a byte order mark', (text) => `\ufeff${text}`, 'plan_damaged'],
    ['no end', (text) => text.slice(0, -1), 'plan_damaged'],
    [
      'a member twice by an escape',
      (text) => text.replace('{"reference"', '{"\\u0061mount":"1.00","reference"'),
      'plan_damaged',
    ],
    ['totals that lie', (text) => text.replace('"total":"304.50"', '"total":"4.50"'), 'plan_damaged'],
    ['no width in a reference', (text) => text.replace('emp-0001', 'emp-\u200b0001'), 'plan_damaged'],
    ['one reference twice', (text) => text.replace('emp-0001', 'EMP\u20130000'), 'plan_damaged'],
    ['a newer version', (text) => text.replace('"svc_plan":1', '"svc_plan":2'), 'plan_newer'],
  ])('is spelled otherwise and signed by all: %s', async (_, change, code) => {
    const changed = change(bytes().toString());
    expect(changed).not.toBe(bytes().toString());
    await refuses(apply(putPlan(here.home.home, Buffer.from(changed), BY('bob'), someone)), code, 14);
  });

  const bob = (): Buffer => someone.sign(bytes(), 'bob');
  it.each<[string, (path: string) => void]>([
    [
      'of 1 GB',
      (path) => {
        writeFileSync(path, '');
        truncateSync(path, 2 ** 30);
      },
    ],
    ['that is a pipe', (path) => void execFileSync('mkfifo', [path])],
    ['that is a folder', (path) => mkdirSync(path)],
    [
      'that is a link',
      (path) => {
        writeFileSync(join(here.home.home, 'bob'), bob());
        symlinkSync(join(here.home.home, 'bob'), path);
      },
    ],
    ['that is empty', (path) => writeFileSync(path, '')],
    ['twice in one file', (path) => writeFileSync(path, Buffer.concat([bob(), bob()]))],
    ['with words around it', (path) => writeFileSync(path, `approved!\n${bob().toString()}`)],
    ['that mail has changed', (path) => writeFileSync(path, bob().toString().replaceAll('\n', '\r\n'))],
    ['of another plan', (path) => writeFileSync(path, someone.sign(planBytes(ROWS.slice(1)), 'bob'))],
    [
      'with one bit changed',
      (path) => {
        const raw = Buffer.from(
          bob()
            .toString()
            .replaceAll(/-----.*-----|\n/g, ''),
          'base64',
        );
        raw[raw.length - 3]! ^= 1;
        const lines = raw
          .toString('base64')
          .replace(/(.{70})/g, '$1\n')
          .trimEnd();
        writeFileSync(path, `-----BEGIN SSH SIGNATURE-----\n${lines}\n-----END SSH SIGNATURE-----\n`);
      },
    ],
  ])('has a signature %s', async (_, leave) => {
    const plan = putPlan(here.home.home, bytes(), MADE, someone);
    leave(`${plan}.z.sig`);
    await refuses(apply(plan), 'approvals_missing');
  });

  it('has 33 signatures', async () => {
    const plan = putPlan(here.home.home, bytes(), BY('bob'), someone);
    for (let at = 0; at < 31; at += 1) writeFileSync(`${plan}.${at}.sig`, bob());
    await refuses(apply(plan), 'signatures_many', 14);
  });

  it('puts a program that says yes to everything where PATH finds it', async () => {
    const folder = join(here.home.home, 'bin');
    mkdirSync(folder);
    const liar = falseKeygen(folder, 'case "$*" in *find-principals*) echo p$$@example.com;; esac; exit 0');
    const plan = putPlan(here.home.home, bytes(), BY('evil'), someone);
    await refuses(apply(plan, 1, { env: { PATH: `${folder}:/usr/bin:/bin` } }), 'approvals_missing');
    const found = treasury(
      () => approvalsPolicy(1),
      () => someone.list,
      [liar],
    );
    const honest = treasury(
      () => approvalsPolicy(1),
      () => someone.list,
      [KEYGEN],
    );
    const untrusted = {
      ...honest,
      keygens: [liar],
      readTrusted: ((path, bounds) =>
        path === liar
          ? { kind: 'untrusted', why: 'It is mine.' }
          : honest.readTrusted(path, bounds)) as typeof honest.readTrusted,
    };
    await refuses(apply(plan, 1, { machine: untrusted }), 'keygen_untrusted');
    await refuses(
      apply(plan, 1, { machine: machineOf(1, ['/nonexistent/ssh-keygen']) }),
      'keygen_missing',
      16,
    );
    // Were it believed, the plan would leave: this is what the rule is for.
    const sent = await apply(plan, 1, { machine: found });
    expect(sent.exitCode, sent.stderr).toBe(0);
  });
});
