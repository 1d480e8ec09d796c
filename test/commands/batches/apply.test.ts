/** `svc batches apply`: what other people approved leaves, once, and nothing else; each refusal is judged by what reached the service. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { csv, fileIn, people as employees } from '../../support/payroll.js';
import { planHome, TWO } from '../../support/plan-home.js';
import { approvalsPolicy, treasury } from '../../support/plans.js';
import { HAS_KEYGEN } from '../../support/signers.js';
import type { Result, RunOptions } from '../../support/svc.js';

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
    const again = await apply(plan);
    expect(again.failure()).toBe('13 batch_finished');
    expect(posts()).toHaveLength(3);
  });

  it('that svc itself wrote is sent as it is, once others approve it', async () => {
    const plan = join(here.home.home, 'march.plan');
    const made = `payouts batch ${here.file} --batch march --plan ${plan} --ssh-key ${desk.signing.key('maker')} --json`;
    const written = await svc(made);
    expect(written.exitCode, written.stderr).toBe(0);
    expect((await apply(plan)).error()).toMatchObject({ code: 'approvals_missing' });
    const bytes = readFileSync(plan);
    for (const key of ['ana', 'bob']) writeFileSync(`${plan}.${key}.sig`, desk.signing.sign(bytes, key));
    const sent = await apply(plan);
    expect(sent.json(), sent.stderr).toMatchObject({ batch: 'march', confirmed: 3 });
    const [, ...lines] = bytes.toString().trimEnd().split('\n');
    expect(here.shaky.posts.map(({ body }) => Buffer.from(body ?? []).toString()).sort()).toEqual(
      lines.sort(),
    );
    // The next one names an operation that the company has made: a key of another company does not see it.
    fileIn(here.home.home, 'pay.csv', csv(employees(5).slice(3)));
    await svc(made.replaceAll('march', 'april'));
    const april = plan.replace('march', 'april');
    const company = /"company":\{"letters":"([A-Z]{3})","operation":"[0-9a-f-]{36}"\}/;
    expect(readFileSync(april, 'utf8')).toMatch(company);
    for (const key of ['ana', 'bob'])
      writeFileSync(`${april}.${key}.sig`, desk.signing.sign(readFileSync(april), key));
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
    // Another machine, once the service has forgotten its keys: the same approval pays nothing again.
    here.home.clock.advance(30 * 3_600_000);
    const env = here.machine('elsewhere');
    expect((await apply(plan, '--skip-feed-check --yes', { env })).exitCode).toBe(2);
    expect((await apply(plan, '', { env })).error()['code']).toMatch(/company_unknown|references_paid/);
    expect(posts()).toHaveLength(3);
  });

  it('is held to the list of the policy, whatever list the command line names', async () => {
    const plan = put([
      ['maker', 'maker'],
      ['ana', 'approver'],
      ['evil', 'approver'],
    ]);
    const own = join(here.home.home, 'own-signers');
    writeFileSync(own, `${desk.signing.list.toString()}evil@example.com ${desk.signing.publicKey('evil')}\n`);
    const refused = await apply(plan, `--approvals 0 --signers ${own}`);
    expect(refused.error()).toMatchObject({ code: 'approvals_missing' });
    expect(posts()).toEqual([]);
    desk.policy = null;
    expect((await apply(plan, `--approvals 2 --signers ${own}`)).json()).toMatchObject({ confirmed: 3 });
  });

  it('whose rows would leave with other bytes leaves not at all', async () => {
    const refused = await apply(
      put(
        TWO,
        {},
        employees(2, () => ({ amount: '100.5' })),
      ),
    );
    expect(refused.exitCode, refused.stderr).toBe(14);
    expect(refused.stderr).toContain('would leave with other bytes than those that were approved');
    expect(posts()).toEqual([]);
  });

  it('asks of --first-here, and for --live', async () => {
    const plan = put();
    const first = await svc(`batches apply ${plan} --json`);
    expect(first.failure()).toBe('13 first_here');
    const options = { machine: desk.machine, transport: here.shaky.transport };
    const env = { ...here.shaky.env, SVC_API_KEY: await key() };
    const line = `batches apply ${plan} --first-here --insecure-loopback --json`;
    const refused = await here.home.svc(line, { ...options, env });
    expect(refused.error()).toMatchObject({
      code: 'plan_other_environment',
      exit_code: 13,
      next_command: null,
    });
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

  const key = async (): Promise<string> => (await here.otherKey())['SVC_API_KEY'] ?? '';

  const REFUSED: readonly (readonly [string, string, () => Promise<Result>])[] = [
    [
      'of one approval',
      'approvals_missing',
      () =>
        apply(
          put([
            ['maker', 'maker'],
            ['ana', 'approver'],
          ]),
        ),
    ],
    ['that nobody signed', 'maker_unsigned', () => apply(put([]))],
    [
      'for another address',
      'plan_other_address',
      () => apply(put(TWO, { address: 'https://api.example.com' })),
    ],
    ['that is over', 'approval_expired', () => apply(put(TWO, { valid_until: '2026-09-23T15:00:00Z' }))],
    [
      'of another company',
      'other_company',
      () =>
        apply(put(TWO, { company: { letters: 'TCP', operation: '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f' } })),
    ],
    ['where there is no list', 'signers_missing', () => ((desk.signers = null), apply(put()))],
    [
      'where there is no ssh-keygen',
      'keygen_missing',
      () => {
        const machine = treasury(
          () => desk.policy,
          () => desk.signers,
          [],
        );
        return apply(put(), '', { machine });
      },
    ],
    [
      'with a changed amount',
      'maker_unsigned',
      () => {
        const plan = put();
        writeFileSync(
          plan,
          desk.bytes(
            {},
            employees(3, () => ({ amount: '9.00' })),
          ),
        );
        return apply(plan);
      },
    ],
    [
      'that the policy limits',
      'policy_refused',
      () => (
        (desk.policy = approvalsPolicy(2, { currencies: { VES: { operation_max: '100.00' } } })),
        apply(put())
      ),
    ],
  ];
  it.each(REFUSED)('%s sends nothing: %s', async (_what, code, act) => {
    const refused = await act();
    const error = refused.error();
    expect([error['code'], posts()], refused.stderr).toEqual([code, []]);
    expect(error['exit_code']).toBe(code === 'keygen_missing' ? 16 : 13);
    expect(error['next_command']).toBeNull();
    // Nothing is left of it that a resume could send.
    expect((await svc('batches list --json')).json()).toEqual({ batches: [] });
  });
});
