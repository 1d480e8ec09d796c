import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { csv, fileIn, people as employees } from '../support/payroll.js';
import type { PlanFacts } from '../../src/batches/approval/plan/read.js';
import type { Machine } from '../../src/runtime/ports.js';
import { planHome, TWO } from '../support/plan-home.js';
import { approvalsPolicy, approving, type SignedBy } from '../support/plans.js';
import { HAS_KEYGEN, KEYGEN } from '../support/signers.js';
import type { Result, RunOptions } from '../support/svc.js';

describe.skipIf(!HAS_KEYGEN)('a plan', () => {
  const desk = planHome(employees(3));
  const { here, put, svc } = desk;
  const posts = (): readonly unknown[] => here.shaky.posts;
  const apply = (plan: string, words = '', options: RunOptions = {}): Promise<Result> =>
    svc(`batches apply ${plan} --first-here --json ${words}`, options);

  it('that two people approved is sent, its total without being typed, and is answered like a batch when it is applied again', async () => {
    const plan = put();
    const sent = await apply(plan);
    expect(sent.exitCode, sent.stderr).toBe(0);
    expect(sent.json()).toMatchObject({ batch: 'june', rows: 3, confirmed: 3 });
    expect(await here.shaky.ledger(await key())).toEqual({ 'emp-0000': 1, 'emp-0001': 1, 'emp-0002': 1 });
    expect((await apply(plan)).failure()).toBe('13 batch_finished');
    expect(posts()).toHaveLength(3);
  });

  const sign = (plan: string): void => {
    for (const key of ['ana', 'bob'])
      writeFileSync(`${plan}.${key}.sig`, desk.signing.sign(readFileSync(plan), key));
  };

  it('that svc itself wrote is sent as it is, once others approve it', async () => {
    const plan = join(here.home.home, 'march.plan');
    const words = `--batch march --plan ${plan} --ssh-key ${desk.signing.key('maker')} --json`;
    const made = `payouts batch ${here.file} ${words}`;
    const written = await svc(made);
    expect(written.exitCode, written.stderr).toBe(0);
    expect((await apply(plan)).error()).toMatchObject({ code: 'approvals_missing' });
    sign(plan);
    expect((await apply(plan)).json()).toMatchObject({ batch: 'march', confirmed: 3 });
    const [, ...lines] = readFileSync(plan, 'utf8').trimEnd().split('\n');
    expect(here.shaky.posts.map(({ body }) => String(body)).sort()).toEqual(lines.sort());
    fileIn(here.home.home, 'pay.csv', csv(employees(5).slice(3)));
    await svc(made.replaceAll('march', 'april'));
    const april = plan.replace('march', 'april');
    const company = /"company":\{"letters":"([A-Z]{3})","operation":"[0-9a-f-]{36}"\}/;
    expect(readFileSync(april, 'utf8')).toMatch(company);
    sign(april);
    const other = await apply(april, '', { env: await here.otherKey('another') });
    expect(other.failure()).toBe('13 other_company');
    expect(posts()).toHaveLength(3);
    expect((await apply(april)).json()).toMatchObject({ confirmed: 2 });
  });

  it('is sent only where the events say that it was not sent from elsewhere', async () => {
    const plan = put();
    expect((await apply(plan, '--skip-feed-check --yes')).exitCode).toBe(2);
    expect(posts()).toEqual([]);
    expect((await apply(plan)).json()).toMatchObject({ confirmed: 3 });
    here.home.clock.advance(30 * 3_600_000);
    const env = here.machine('elsewhere');
    expect((await apply(plan, '--skip-feed-check --yes', { env })).exitCode).toBe(2);
    expect((await apply(plan, '', { env })).error()['code']).toMatch(/company_unknown|references_paid/);
    expect(posts()).toHaveLength(3);
  });

  it('is held to the list of the policy, whatever list the command line names', async () => {
    const plan = put(BY('ana', 'evil'));
    const own = join(here.home.home, 'own-signers');
    writeFileSync(own, `${desk.signing.list.toString()}evil@example.com ${desk.signing.publicKey('evil')}\n`);
    const refused = await apply(plan, `--approvals 0 --signers ${own}`);
    expect(refused.error()).toMatchObject({ code: 'approvals_missing' });
    expect(posts()).toEqual([]);
    desk.policy = null;
    expect((await apply(plan, `--approvals 2 --signers ${own}`)).json()).toMatchObject({ confirmed: 3 });
  });

  it('whose rows would leave with other bytes leaves not at all', async () => {
    const rows = employees(2, () => ({ amount: '100.5' }));
    const refused = await apply(put(TWO, {}, rows));
    expect(refused.exitCode, refused.stderr).toBe(14);
    expect(refused.stderr).toContain('would leave with other bytes than those that were approved');
    expect(posts()).toEqual([]);
  });

  it('asks of --first-here, and for --live', async () => {
    const plan = put();
    expect((await svc(`batches apply ${plan} --json`)).failure()).toBe('13 first_here');
    const options = { machine: desk.machine, transport: here.shaky.transport };
    const env = { ...here.shaky.env, SVC_API_KEY: await key() };
    const line = `batches apply ${plan} --first-here --insecure-loopback --json`;
    const refused = await here.home.svc(line, { ...options, env });
    expect(refused.failure()).toBe('13 plan_other_environment');
    expect(refused.error()['next_command']).toBeNull();
    expect(posts()).toEqual([]);
    const [, typed] = /If you mean it: (svc .*)$/m.exec(String(refused.error()['message'])) ?? [];
    expect((await here.paste(typed, options)).json()).toMatchObject({ confirmed: 3 });
  });

  it('counts the signatures that were named, and no others', async () => {
    const plan = put();
    const named = ['maker', 'ana-approves'].map((who) => `--signature ${plan}.${who}.sig`);
    expect((await apply(plan, named.join(' '))).error()).toMatchObject({ code: 'approvals_missing' });
    const all = await apply(plan, [...named, `--signature ${plan}.bob-approves.sig`].join(' '));
    expect(all.json(), all.stderr).toMatchObject({ confirmed: 3 });
  });

  it('is sent as the flags of sending say, and for no other company', async () => {
    const plan = put();
    expect((await apply(plan, '--company ABC')).error()).toMatchObject({ code: 'other_company' });
    expect((await apply(plan, '--confirm-total VES:1.00')).error()).toMatchObject({ code: 'total_differs' });
    expect(posts()).toEqual([]);
    const sent = await apply(plan, '--rate 50/s --wait --wait-timeout 1m --same-company --yes');
    expect(sent.json(), sent.stderr).toMatchObject({ confirmed: 3 });
  });

  const key = async (): Promise<string> => (await here.otherKey()).SVC_API_KEY;

  const approvers = (keys: readonly string[]): SignedBy => keys.map((key) => [key, 'approver']);
  const BY = (...keys: string[]): SignedBy => [['maker', 'maker'], ...approvers(keys)];
  const rewritten = (text: string | Uint8Array): Promise<Result> => {
    const plan = put();
    writeFileSync(plan, text);
    return apply(plan);
  };
  const of = (facts: Partial<PlanFacts>): Promise<Result> => apply(put(TWO, facts));
  const on = (machine: Machine): Promise<Result> => apply(put(), '', { machine });
  const OTHER = { letters: 'TCP', operation: '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f' };
  const mine: Machine = {
    ...desk.machine,
    readTrusted: (path, bounds) =>
      path === KEYGEN ? { kind: 'untrusted', why: 'Mine.' } : desk.machine.readTrusted(path, bounds),
  };
  const LIMITED = approvalsPolicy(2, { currencies: { VES: { operation_max: '100.00' } } });
  const REFUSED: readonly (readonly [string, string, () => Promise<Result>])[] = [
    ['of one approval', '13 approvals_missing', () => apply(put(BY('ana')))],
    ['that nobody signed', '13 maker_unsigned', () => apply(put([]))],
    ['for another address', '13 plan_other_address', () => of({ address: 'https://api.example.com' })],
    ['that is over', '13 approval_expired', () => of({ valid_until: '2026-09-23T15:00:00Z' })],
    ['of another company', '13 other_company', () => of({ company: OTHER })],
    ['where there is no list', '13 signers_missing', () => ((desk.signers = null), apply(put()))],
    ['where there is no ssh-keygen', '16 keygen_missing', () => on(approving(2, desk.signers, []))],
    ['where ssh-keygen is not trusted', '13 keygen_untrusted', () => on(mine)],
    ['with the line ends of mail', '14 plan_damaged', () => rewritten(text().replaceAll('\n', '\r\n'))],
    ['of a newer version', '14 plan_newer', () => rewritten(text().replace('"svc_plan":1', '"svc_plan":2'))],
    ['with changed amounts', '13 maker_unsigned', () => rewritten(desk.bytes({}, NINE))],
    ['that the policy limits', '13 policy_refused', () => ((desk.policy = LIMITED), apply(put()))],
  ];
  const NINE = employees(3, () => ({ amount: '9.00' }));
  const text = (): string => desk.bytes().toString();
  it.each(REFUSED)('%s sends nothing: %s', async (_what, code, act) => {
    const refused = await act();
    expect([refused.failure(), posts()], refused.stderr).toEqual([code, []]);
    expect(refused.error()['next_command']).toBeNull();
    expect((await svc('batches list --json')).json()).toEqual({ batches: [] });
  });
});
