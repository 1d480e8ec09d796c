import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { deriveKey } from '../../src/payments/known/key.js';
import { people as employees } from '../support/payroll.js';
import { planHome, TWO } from '../support/plan-home.js';
import { approvalsPolicy } from '../support/plans.js';
import { LOST, NOT_ARRIVED, refusal } from '../support/shaky-sandbox.js';
import { HAS_KEYGEN } from '../support/signers.js';
import type { Result, RunOptions } from '../support/svc.js';
import { sealOf } from '../../src/storage/batches/seal.js';

const ROWS = employees(4);
const HOUR_MS = 3_600_000;

describe.skipIf(!HAS_KEYGEN)('an applied batch', () => {
  const desk = planHome(ROWS);
  const { here, put, svc, sent, paid, listWithout } = desk;
  let plan: string;
  beforeEach(() => {
    plan = put();
  });
  const apply = (words = '', options: RunOptions = {}): Promise<Result> =>
    svc(`batches apply ${plan} --first-here --concurrency 1 --json ${words}`, options);
  const resume = (words = ''): Promise<Result> => svc(`batches resume june --json ${words}`);
  const begun = async (): Promise<void> => {
    await apply('', { signal: here.shaky.stopAt(2) });
    expect(sent()).toBe(2);
  };

  it('goes on by resume, and by applying it again', async () => {
    await begun();
    expect((await resume()).json()).toMatchObject({ confirmed: 4 });
    expect(await paid()).toEqual([1, 1, 1, 1]);
    expect((await apply()).failure()).toBe('13 batch_finished');
  });

  it('that was planned and not confirmed leaves by resume, under its approval', async () => {
    expect((await svc(`batches apply ${plan} --json`)).error()).toMatchObject({ code: 'first_here' });
    expect((await resume('--first-here')).json()).toMatchObject({ confirmed: 4 });
  });

  it('shows its plan and who approved it', async () => {
    await begun();
    const status = (await svc('batches status june --json')).json();
    expect(status['plan']).toMatchObject({
      ...{ digest: expect.stringMatching(/^[0-9a-f]{12}$/) as string, made_by: 'maker@example.com' },
      ...{ approved_by: ['ana@example.com', 'bob@example.com'], valid_until: '2026-09-26T14:59:00Z' },
    });
    const { batches } = (await svc('batches list --json')).json() as { batches: object[] };
    expect(batches).toMatchObject([{ plan: status['plan'] }]);
    const tty = { stdout: true };
    const shown = stripVTControlCharacters((await svc('batches status june', { tty })).stdout);
    expect(shown).toMatch(/^Plan +[0-9a-f]{12}$/m);
    expect(shown).toMatch(/^Made by +maker@example\.com$/m);
    expect(shown).toMatch(/^Approved by +ana@example\.com, bob@example\.com$/m);
    const listed = stripVTControlCharacters((await svc('batches list', { tty, columns: 160 })).stdout);
    expect(listed).toContain('ana@example.com, bob@example.com');
  });

  it.each([
    ['/usr/local/bin/svc batches apply june.plan', 'payer', 'sudo -H -u payer '],
    ['svc batches apply june.plan', "pay'er", `sudo -H -u 'pay'\\''er' `],
    ['/opt/svc/bin/svc', 'root', 'sudo -H -u root '],
    ['/bin/bash', 'payer', ''],
    ['/usr/local/bin/pay svc', 'payer', ''],
    ['/usr/local/bin/svc batches apply june.plan', 'ana', ''],
  ])('leads on from sudo %s as %s by lines that its caller can type', async (SUDO_COMMAND, USER, before) => {
    const given = { SUDO_USER: 'ana', SUDO_COMMAND, USER };
    const stopped = await apply('', { signal: here.shaky.stopAt(2), env: given });
    const status = await svc('batches status june --json', { env: given });
    const [, noted] = /Then: (.*)/.exec(stopped.stderr) ?? [];
    for (const line of [noted, stopped.json()['resume_command'], status.json()['resume_command']]) {
      expect(line).toMatch(/svc batches resume .*june$/);
      expect(String(line).split('svc batches')[0]).toBe(before);
    }
    const unknown = await svc('batches status july', { env: given });
    expect(unknown.error()['message']).toContain(`See "${before}svc batches list".`);
    const { next_command: next } = (await svc('balances -p july', { env: given })).error();
    expect(next).toBe(`${before}svc profiles list`);
  });

  it.each(['bob', 'ana'])('does not go on once %s is no signer any more', async (key) => {
    await begun();
    desk.signers = listWithout(key);
    for (const refused of [await resume(), await apply()])
      expect(refused.error()).toMatchObject({ code: 'approvals_missing', exit_code: 13, next_command: null });
    expect((await resume()).stderr).toContain('has 1 of 2 approvals');
    expect(sent()).toBe(2);
    writeFileSync(`${plan}.carla.sig`, desk.signing.sign(desk.bytes(), 'carla'));
    expect((await apply()).json()).toMatchObject({ confirmed: 4 });
    expect(await paid()).toEqual([1, 1, 1, 1]);
  });

  it('asks the policy of now: more approvals, a limit, the brake', async () => {
    await begun();
    desk.policy = approvalsPolicy(3);
    expect((await resume()).error()).toMatchObject({ code: 'approvals_missing' });
    desk.policy = approvalsPolicy(2, { currencies: { VES: { operation_max: '102.00' } } });
    expect((await resume()).error()).toMatchObject({ code: 'policy_refused' });
    desk.policy = { version: 1, payouts: { allow: 'cancel' } };
    expect((await resume()).error()).toMatchObject({ code: 'policy_refused' });
    expect(sent()).toBe(2);
  });

  const OTHER_END = "UPDATE batches SET plan_head = replace(plan_head, '2026-09-26', '2026-09-25')";
  const CHANGES: readonly (readonly [string, (db: DatabaseSync) => void, digestToo: boolean])[] = [
    ['an amount and its body', (db) => reseal(db, ['103.50', '9999.00'], { amount: '9999.00' }), false],
    ['an account, and the digest', (db) => reseal(db, ['04121000003', '04129999999']), true],
    ['the head, and the digest', (db) => db.exec(OTHER_END), true],
    ['since when payments count', (db) => db.exec('UPDATE batches SET since = 1700000000000'), false],
    ['which reference a row counts as', (db) => reseal(db, ['', ''], { reference: 'emp-9999' }), false],
    ['the signatures', (db) => db.exec("UPDATE approvals SET signature = x'00'"), false],
    ['signatures that are gone', (db) => db.exec('DELETE FROM approvals'), false],
  ];
  it.each(CHANGES)('does not go on where somebody changed in the store: %s', async (_, change, digestToo) => {
    await begun();
    using db = new DatabaseSync(join(here.state, 'batches.db'));
    change(db);
    if (digestToo) redigest(db);
    const refused = await resume();
    expect([refused.exitCode, sent()], refused.stderr).toEqual([13, 2]);
    expect(['plan_differs', 'maker_unsigned']).toContain(refused.error()['code']);
  });

  it('sends nothing that never left once its plan is over, and says how much that is', async () => {
    await begun();
    here.home.clock.advance(73 * HOUR_MS);
    const refused = await resume();
    expect(refused.error(), refused.stderr).toMatchObject({
      ...{ code: 'approval_expired', exit_code: 13, next_command: null },
      details: [{ field: 'VES', code: 'not_sent', rows: 2, total: '206.00' }],
    });
    expect((await apply()).error()).toMatchObject({ code: 'approval_expired' });
    expect((await svc('batches retry june --json')).exitCode).toBe(2);
    expect(sent()).toBe(2);
    expect((await svc('batches drop june --json')).json()).toMatchObject({ rows_dropped: 2 });
  });

  it('settles under its key what may have left, once its plan is over, and nothing else', async () => {
    plan = put(TWO, { valid_until: '2026-09-23T16:00:00Z' });
    here.shaky.next('answered', ...LOST);
    await apply('', { signal: here.shaky.stopAt(4) });
    const states = (await svc('batches status june --json')).json()['states'];
    expect(states).toMatchObject({ confirmed: 1, unknown: 1, planned: 2 });
    const before = sent();
    here.home.clock.advance(HOUR_MS);
    const settled = await resume('--skip-feed-check --yes');
    expect(settled.error(), settled.stderr).toMatchObject({
      ...{ code: 'approval_expired', exit_code: 13 },
      details: [{ field: 'VES', rows: 2, total: '206.00' }],
    });
    expect(settled.json()).toMatchObject({ confirmed: 2, unknown: 0, not_sent: 2, resume_command: null });
    expect(sent()).toBe(before + 1);
    expect(await paid()).toEqual([1, 1]);
  });

  it('stops where its plan ends while it is under way', async () => {
    plan = put(TWO, { valid_until: '2026-09-23T16:00:00Z' });
    here.shaky.onPost = () => {
      if (sent() === 2) here.home.clock.advance(HOUR_MS);
    };
    const stopped = await apply();
    expect(stopped.failure(), stopped.stderr).toBe('13 approval_expired');
    expect(stopped.error()['outcome']).toBe('sent');
    expect(stopped.json()).toMatchObject({ not_sent: 2, resume_command: null });
    expect(sent()).toBe(2);
  });

  it('is asked at the time of the service, however wrong the clock of the machine is', async () => {
    await begun();
    here.home.clock.setWall(96 * HOUR_MS);
    const clock = here.home.clock;
    expect(clock.now()).toBeGreaterThan(Date.parse('2026-09-26T14:59:00Z'));
    clock.setWall(-96 * HOUR_MS);
    const aDayOff = { ...clock, now: () => clock.now() + 96 * HOUR_MS };
    const resumed = await svc('batches resume june --json', { clock: aDayOff });
    expect(resumed.json(), resumed.stderr).toMatchObject({ confirmed: 4 });
  });

  it('retries what failed under its approval, and not once that is over', async () => {
    here.shaky.next(refusal(400, 'field_invalid'), 'answered', 'answered', refusal(400, 'field_invalid'));
    expect((await apply()).json()).toMatchObject({ confirmed: 2, rejected: 2 });
    here.shaky.next(refusal(400, 'field_invalid'));
    const retried = await svc('batches retry june --failed --concurrency 1 --json');
    expect(retried.json(), retried.stderr).toMatchObject({ confirmed: 3, rejected: 1 });
    desk.signers = listWithout('bob');
    expect((await svc('batches retry june --failed --json')).failure()).toBe('13 approvals_missing');
    desk.signers = desk.signing.list;
    const before = sent();
    here.home.clock.advance(73 * HOUR_MS);
    const over = await svc('batches retry june --failed --json');
    expect(over.error()).toMatchObject({
      ...{ code: 'approval_expired', details: [{ code: 'failed', rows: 1, total: '100.50' }] },
      message: expect.not.stringContaining('never left') as string,
    });
    expect(sent()).toBe(before);
  });

  it('leaves out what was paid since where that is asked for, and refuses it else', async () => {
    desk.policy = null;
    const { machine } = desk;
    await here.pay(ROWS.slice(0, 1), 'before', '--confirm-total VES:100.50 --first-here', { machine });
    desk.policy = approvalsPolicy(2);
    const company = (await here.rows('before'))['emp-0000']!['operation_id']!;
    plan = put(TWO, { company: { letters: null, operation: company } });
    expect((await apply()).failure()).toBe('13 references_paid');
    expect(sent()).toBe(1);
    const other = await apply('--skip-paid --confirm-total VES:408.01');
    expect(other.error()).toMatchObject({ code: 'total_differs' });
    const sentRest = await apply('--skip-paid --confirm-total VES:408.00');
    expect(sentRest.json(), sentRest.stderr).toMatchObject({ rows: 4, confirmed: 3, earlier: 1 });
    expect(await paid()).toEqual([1, 1, 1, 1]);
  });

  const OTHER = '--confirm-total VES:104.50 --first-here';
  it.each([
    ['its own key', false, false],
    ['its own key, beside another batch', true, false],
    ['another key of the company', false, true],
  ])('of a new company goes on without its first answer: %s', async (_key, isBeside, isOther) => {
    here.shaky.next(...LOST);
    await apply('', { signal: here.shaky.stopAt(3) });
    if (isBeside) {
      desk.policy = null;
      const other = await here.pay(employees(5).slice(4), 'other', OTHER, { machine: desk.machine });
      expect(other.exitCode, other.stderr).toBe(0);
      desk.policy = approvalsPolicy(2);
    }
    const { states } = (await svc('batches status june --json')).json();
    expect(states).toMatchObject({ unknown: 1, planned: 3 });
    const options = isOther ? { env: await here.otherKey() } : {};
    const resumed = await svc('batches resume june --json --same-company --yes', options);
    expect(resumed.json(), resumed.stderr).toMatchObject({ confirmed: 4 });
    expect(await paid()).toEqual(Array.from({ length: isBeside ? 5 : 4 }, () => 1));
  });

  it('of a company without an operation goes to no other company, whatever is said of the two', async () => {
    here.shaky.next(...NOT_ARRIVED);
    await apply('', { signal: here.shaky.stopAt(3) });
    const env = await here.otherKey('another');
    desk.policy = null;
    const other = await here.pay(employees(5).slice(4), 'other', OTHER, { machine: desk.machine, env });
    expect(other.exitCode, other.stderr).toBe(0);
    desk.policy = approvalsPolicy(2);
    const count = sent();
    for (const line of ['batches resume june', `batches apply ${plan}`]) {
      const refused = await svc(`${line} --same-company --yes --json`, { env });
      expect(refused.failure(), refused.stderr).toBe('13 company_unknown');
    }
    expect(sent()).toBe(count);
  });

  it('is not replaced by another plan of its name, nor by a file, nor the other way round', async () => {
    await begun();
    plan = put(TWO, { made_at: '2026-09-23T14:59:30Z' });
    const other = await apply();
    expect(other.failure()).toBe('13 plan_differs');
    expect(other.stderr.match(/plan [0-9a-f]{12}\b/g)).toHaveLength(2);
    desk.policy = null;
    await here.pay(employees(6).slice(4), 'july', '--confirm-total VES:209.00', { machine: desk.machine });
    desk.policy = approvalsPolicy(2);
    const count = sent();
    plan = put(TWO, { batch: 'july', company: null });
    expect((await apply()).error()['code']).toMatch(/batch_differs|company_unknown/);
    expect(sent()).toBe(count);
  });

  it('asks for what the command line asked where no policy does, on a resume too', async () => {
    desk.policy = null;
    const list = join(here.home.home, 'signers');
    writeFileSync(list, desk.signing.list);
    expect((await apply(`--approvals 3 --signers ${list}`)).failure()).toBe('13 approvals_missing');
    await apply(`--approvals 2 --signers ${list}`, { signal: here.shaky.stopAt(1) });
    writeFileSync(list, listWithout('ana'));
    expect((await apply('--confirm-total VES:408.00')).error()).toMatchObject({ code: 'approvals_missing' });
    expect((await resume()).error()).toMatchObject({ code: 'approvals_missing' });
    writeFileSync(list, desk.signing.list);
    expect((await resume()).json()).toMatchObject({ confirmed: 4 });
  });

  it('that nobody has to approve asks for its total', async () => {
    desk.policy = null;
    expect((await apply()).error()).toMatchObject({ code: 'not_confirmed' });
    expect(sent()).toBe(0);
    expect((await apply('--confirm-total VES:408.00')).json()).toMatchObject({ confirmed: 4 });
  });
});

type Sealed = Parameters<typeof sealOf>[0];
function reseal(db: DatabaseSync, [from, to]: [string, string], inRow: Partial<Sealed> = {}): void {
  const kept = 'SELECT r.*, b.body FROM rows r JOIN bodies b USING (batch, number) WHERE number = 3';
  const row = db.prepare(kept).get() as unknown as Sealed;
  const is = { ...row, body: row.body.replace(from, to), ...inRow };
  const key = deriveKey({ ...is, environment: 'live', direction: 'payout' });
  db.prepare('UPDATE bodies SET body = ? WHERE number = 3').run(is.body);
  const update = 'UPDATE rows SET amount = ?, reference = ?, key = ?, seal = ? WHERE number = 3';
  db.prepare(update).run(is.amount, is.reference, key, sealOf({ ...is, key }));
}

function redigest(db: DatabaseSync): void {
  const [{ plan_head: head }] = db.prepare('SELECT plan_head FROM batches').all() as [{ plan_head: string }];
  const bodies = db.prepare('SELECT body FROM bodies ORDER BY number').all() as { body: string }[];
  const text = [head, ...bodies.map(({ body }) => body), ''].join('\n');
  db.prepare('UPDATE batches SET plan_digest = ?').run(hash('sha256', text, 'hex'));
}
