/** Attacks on a plan on its way to `svc batches apply`: on its bytes, its signatures and `ssh-keygen`. Judged by what reached the service: nothing. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
    ['one person with two keys', ['ana', 'ana2'], 2],
    ['somebody whom nobody knows', ['evil'], 1],
  ])('is approved by %s', async (_, keys, approvals) => {
    await refuses(
      apply(putPlan(here.home.home, bytes(), BY(...keys), someone), approvals),
      'approvals_missing',
    );
  });

  it.each<[string, (text: string) => string, string]>([
    ['CRLF', (text) => text.replaceAll('\n', '\r\n'), 'plan_damaged'],
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
