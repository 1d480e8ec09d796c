import { beforeEach, describe, expect, it } from 'vitest';
import { people as employees } from '../support/payroll.js';
import { planHome, TWO } from '../support/plan-home.js';
import { sharedDatabase } from '../support/shared-state.js';
import { keyFileIn } from '../support/sharing.js';
import { HAS_KEYGEN } from '../support/signers.js';
import type { Result, RunOptions } from '../support/svc.js';

const shared = await sharedDatabase();

describe.skipIf(shared === null || !HAS_KEYGEN)('a plan that machines share', () => {
  const desk = planHome(employees(4), 'real');
  const { here, sent, paid } = desk;
  let plan = '';
  let env: Readonly<Record<string, string>> = {};
  let other: Readonly<Record<string, string>> = {};
  beforeEach(async () => {
    env = { ...shared!.env(), ...keyFileIn(here) };
    other = { ...here.machine('other'), ...env };
    await here.svc('state init', { env });
    const now = Math.floor(here.home.clock.now() / 1000) * 1000;
    const moment = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
    plan = desk.put(TWO, { made_at: moment(now), valid_until: moment(now + 3_600_000) });
  });
  const svc = (line: string, options: RunOptions): Promise<Result> => desk.svc(`${line} --json`, options);
  const apply = (options: RunOptions) => svc(`batches apply ${plan} --first-here --concurrency 1`, options);
  const begun = async (): Promise<void> => {
    await apply({ env, signal: here.shaky.stopAt(2) });
    expect(sent()).toBe(2);
  };

  it('is applied on one machine and finished from another, which has no file of it', async () => {
    await begun();
    expect((await svc('batches resume june', { env: other })).json()).toMatchObject({ confirmed: 4 });
    expect(await paid()).toEqual([1, 1, 1, 1]);
    const status = (await svc('batches status june', { env: other })).json();
    expect(status['plan']).toMatchObject({ approved_by: ['ana@example.com', 'bob@example.com'] });
    expect((await apply({ env: other })).error()).toMatchObject({ code: 'batch_finished' });
  });

  it('is paid once where two machines apply it at once', async () => {
    const both = await Promise.all([apply({ env }), apply({ env: other })]);
    const codes = both.map(({ exitCode }) => exitCode);
    expect(codes, both.map(({ stderr }) => stderr).join('\n')).toContain(0);
    for (const code of codes) expect([0, 13, 15]).toContain(code);
    expect(await paid()).toEqual([1, 1, 1, 1]);
  });
});
