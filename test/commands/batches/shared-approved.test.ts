/** A batch that was applied to a state that machines share: any machine goes on, each by its own policy and its own list of signers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Machine } from '../../../src/runtime/ports.js';
import { batchHome } from '../../support/batch-home.js';
import { people as employees } from '../../support/payroll.js';
import { approvalsPolicy, planBytes, putPlan, type SignedBy, treasury } from '../../support/plans.js';
import { sharedDatabase } from '../../support/shared-state.js';
import { HAS_KEYGEN, people } from '../../support/signers.js';
import type { Result, RunOptions } from '../../support/svc.js';

const shared = await sharedDatabase();
const ROWS = employees(4);
const signing = people();
afterAll(() => signing.remove());
const TWO: SignedBy = [
  ['maker', 'maker'],
  ['ana', 'approver'],
  ['bob', 'approver'],
];

describe.skipIf(shared === null || !HAS_KEYGEN)('a plan that machines share', () => {
  const here = batchHome(ROWS, 'live', 'real');
  let plan = '';
  let env: Readonly<Record<string, string>> = {};
  let other: Readonly<Record<string, string>> = {};
  beforeEach(async () => {
    const file = join(here.home.home, 'state.key');
    writeFileSync(file, `${Buffer.alloc(32, 9).toString('base64')}\n`, { mode: 0o600 });
    env = { ...shared!.env(), SVC_STATE_KEY_FILE: file };
    other = { ...here.machine('other'), ...env };
    await here.svc('state init', { env });
    const now = Math.floor(here.home.clock.now() / 1000) * 1000;
    const moment = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
    const facts = {
      maker: signing.fingerprint('maker'),
      made_at: moment(now),
      valid_until: moment(now + 3_600_000),
    };
    plan = putPlan(here.home.home, planBytes(ROWS, facts), TWO, signing);
  });
  /** Whose list lacks these keys. */
  const machineWithout = (...keys: string[]): Machine => {
    const lines = signing.list.toString().split('\n');
    const list = lines.filter((line) => !keys.some((key) => line.endsWith(signing.publicKey(key))));
    return treasury(
      () => approvalsPolicy(2),
      () => Buffer.from(list.join('\n')),
    );
  };
  const svc = (line: string, options: RunOptions): Promise<Result> =>
    here.svc(`${line} --json`, { machine: machineWithout(), ...options });
  const apply = (options: RunOptions): Promise<Result> =>
    svc(`batches apply ${plan} --first-here --concurrency 1`, options);
  const ledger = async (): Promise<number[]> =>
    Object.values(await here.shaky.ledger((await here.otherKey())['SVC_API_KEY']));
  const sent = (): number => here.shaky.posts.length;
  const begun = async (): Promise<void> => {
    const stopping = new AbortController();
    here.shaky.onPost = () => {
      if (sent() === 2) stopping.abort(new Error('the pod is gone'));
    };
    await apply({ env, signal: stopping.signal });
    here.shaky.onPost = () => undefined;
    expect(sent()).toBe(2);
  };

  it('is applied on one machine and finished from another, which has no file of it', async () => {
    await begun();
    const resumed = await svc('batches resume june', { env: other });
    expect(resumed.json(), resumed.stderr).toMatchObject({ confirmed: 4 });
    expect(await ledger()).toEqual([1, 1, 1, 1]);
    expect((await svc('batches status june', { env: other })).json()['plan']).toMatchObject({
      approved_by: ['ana@example.com', 'bob@example.com'],
    });
    expect((await apply({ env: other })).error()).toMatchObject({ code: 'batch_finished' });
  });

  it('goes on nowhere where the list lacks who approved it', async () => {
    await begun();
    const refused = await svc('batches resume june', { env: other, machine: machineWithout('bob') });
    expect(refused.error()).toMatchObject({ code: 'approvals_missing', exit_code: 13 });
    expect(sent()).toBe(2);
    expect((await svc('batches resume june', { env })).json()).toMatchObject({ confirmed: 4 });
  });

  it('is paid once where two machines apply it at once', async () => {
    const both = await Promise.all([apply({ env }), apply({ env: other })]);
    const codes = both.map(({ exitCode }) => exitCode);
    expect(
      codes.some((code) => code === 0),
      both.map(({ stderr }) => stderr).join('\n'),
    ).toBe(true);
    // The other one came too early or too late, or joined.
    for (const code of codes) expect([0, 13, 15]).toContain(code);
    expect(await ledger()).toEqual([1, 1, 1, 1]);
  });

  it('does not go on where somebody took the signatures out of the database', async () => {
    await begun();
    await shared!.query(env, 'DELETE FROM svc.approvals');
    expect((await svc('batches resume june', { env: other })).error()).toMatchObject({
      code: 'maker_unsigned',
    });
    expect(sent()).toBe(2);
  });
});
