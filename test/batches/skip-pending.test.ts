import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { batchHome } from '../support/batch-home.js';
import { feesCsv, fileIn, person } from '../support/payroll.js';
import { ADDRESS } from '../support/shaky-sandbox.js';
import type { Result } from '../support/svc.js';
import { IS_REST } from '../support/rest.js';

const here = batchHome();
const { svc } = here;
const collect = (batch: string, fees: readonly string[], words = ''): Promise<Result> => {
  const file = fileIn(here.home.home, `${batch}.csv`, feesCsv('incoming_transfer', [...fees]));
  return svc(`payins batch ${file} --batch ${batch} --json ${words}`);
};
const control = (path: string, told: object) => {
  const headers = { 'content-type': 'application/json' };
  const request = { url: `${ADDRESS}/_control/${path}`, headers, body: Buffer.from(JSON.stringify(told)) };
  return here.shaky.transport({ method: 'POST', ...request }, { timeoutMs: 1000 });
};
const rowOf = async (batch: string) => (await here.rows(batch))['fee-1']!;

const PENDING = {
  ...{ rows: 2, confirmed: 0, earlier: 0, failed: 0, not_sent: 0, pending: 2 },
  pending_reasons: { awaiting_payment: 1, skipped_pending: 1 },
  totals: { VES: { total: '50.00', earlier: '0.00', pending: '50.00' } },
};

let operation = '';
let printed = '';
beforeEach(async () => {
  expect((await collect('first', ['fee-1,20.00'])).json()).toMatchObject({ pending: 1 });
  operation = (await rowOf('first'))['operation_id']!;
  const refused = await collect('second', ['fee-1,20.00', 'fee-2,30.00']);
  expect(refused.error()).toMatchObject({ code: 'references_paid' });
  expect(refused.stderr).not.toContain('was paid');
  expect(refused.stderr).toContain('and 1 is pending');
  printed = String(refused.error()['next_command']);
});

describe('a row whose payment is pending', () => {
  it('is left out, counted as pending with its reason, and called paid nowhere', async () => {
    const left = await here.paste(printed);
    expect(left, left.stderr).toMatchObject({ exitCode: 0 });
    expect(left.json()).toMatchObject({ ...PENDING, states: { earlier: 1, accepted: 1 } });
    expect(here.shaky.posts).toHaveLength(2);
    expect(await rowOf('second')).toMatchObject({
      ...{ state: 'earlier', code: 'skipped_pending', operation_id: operation, sent_at: '' },
      detail: expect.stringMatching(/is pending: its end is that of this row/) as string,
    });
    const status = await svc('batches status second --json');
    expect(status.json()).toMatchObject(PENDING);
    const listed = await svc('batches list --json');
    const second = { batch: 'second', pending: 2, earlier: 0 };
    expect(listed.json()).toMatchObject({ batches: [{ batch: 'first' }, second] });
    const csv = await svc('batches export second');
    expect(csv.stdout).toContain(',earlier,');
    for (const { stdout, stderr } of [left, status, listed, csv]) expect(stdout + stderr).not.toMatch(/paid/);
  });

  it('says so to a person too, with the line that follows it', async () => {
    await here.paste(printed);
    const shown = await svc('batches status second --no-color', { tty: { stdout: true, stderr: true } });
    expect(shown.stdout).toMatch(/pending +2 .*\n +awaiting_payment +1.*\n +skipped_pending +1/);
    expect(shown.stderr).toContain('Next: svc batches resume --wait second');
    expect(shown.stdout).not.toMatch(/earlier|paid/);
  });

  it('ends with 8 where --wait runs out, and names the line that goes on', async () => {
    const ended = await here.paste(`${printed} --wait-timeout 20s`);
    expect(ended, ended.stderr).toMatchObject({ exitCode: 8 });
    expect(ended.json()).toMatchObject(PENDING);
    const next = 'svc batches resume --wait second';
    const message = 'Batch second: 2 rows are still pending.';
    expect(ended.error()).toMatchObject({ code: 'still_pending', message, next_command: next });
  });

  it.each(['', ' --wait-timeout 20s'])('is an earlier one once a resume%s sees it so', async (words) => {
    await here.paste(printed);
    expect((await control('payments', { for: operation })).status).toBe(200);
    const resumed = await svc(`batches resume second --json${words}`);
    expect(resumed.json()).toMatchObject({ earlier: 1, pending: 1, failed: 0, states: { earlier: 1 } });
    expect((await svc('batches status second --json')).json()).toMatchObject({ earlier: 1, pending: 1 });
    expect(await rowOf('second')).toMatchObject({
      ...{ state: 'earlier', code: 'skipped_as_paid' },
      detail: expect.stringContaining('nothing new was paid') as string,
    });
  });

  it.each(['', ' --wait-timeout 20s'])('has failed once a resume%s sees it; a retry pays', async (words) => {
    await here.paste(printed);
    expect((await svc(`payins cancel ${operation} --json`)).exitCode).toBe(0);
    const posts = here.shaky.posts.length;
    const resumed = await svc(`batches resume second --json${words}`);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 3 });
    expect(resumed.json()).toMatchObject({ earlier: 0, pending: 1, failed: 1 });
    expect(here.shaky.posts).toHaveLength(posts);
    for (let time = 0; time < 2; time += 1) await svc('batches retry second --failed --json');
    expect(here.shaky.posts).toHaveLength(posts + 1);
    expect(await rowOf('second')).toMatchObject({ state: 'accepted' });
    expect((await rowOf('second'))['operation_id']).not.toBe(operation);
  });

  it('keeps its body: the batch is not finished', async () => {
    await here.paste(printed);
    expect((await svc('batches forget second')).failure()).toBe('13 not_finished');
  });
});

describe.runIf(IS_REST)('a row that a plan leaves out for a pending payment', () => {
  const path = (): string => join(here.home.home, 'third.plan');
  const headOf = () => JSON.parse(readFileSync(path(), 'utf8').split('\n', 1)[0]!) as object;
  const apply = (words = ''): Promise<Result> => svc(`batches apply ${path()} --json ${words}`);
  const plan = () => here.pay([person(0), person(1)], 'third', `--plan ${path()} --skip-paid`);
  const sent = (): string[] => here.shaky.posts.map(({ body }) => Buffer.from(body ?? '').toString());
  const settle = (outcome: object): Promise<unknown> => control(`operations/${id}/settle`, outcome);
  const PAID = { status: 'confirmed' };
  const FAILED = { status: 'failed', failure: { code: 'counterparty_rejected', reason: 'invalid_account' } };
  const left = (status: string) => ({ skipped_pending: [{ reference: 'emp-0000', operation: id, status }] });

  let id = '';
  beforeEach(async () => {
    await control('faults', { route: 'payouts.create', kind: 'outcome', pending: true, match: 'emp-0000' });
    expect((await here.pay([person(0)], 'payday')).json()).toMatchObject({ pending: 1 });
    id = (await here.rows('payday'))['emp-0000']!['operation_id']!;
  });

  it('stands in its first line behind what is left out, and only where there is one', async () => {
    const made = await plan();
    const named = { left_out: 1, skipped_pending: [{ reference: 'emp-0000', operation: id }] };
    expect(made.json(), made.stderr).toMatchObject({ rows: 1, ...named });
    expect(Object.keys(headOf())).toEqual([
      ...['svc_plan', 'environment', 'address', 'company', 'direction', 'batch', 'since', 'rows', 'totals'],
      ...['left_out', 'skipped_pending', 'made_at', 'valid_until', 'maker'],
    ]);
    expect((await svc(`batches review ${path()} --json`)).json()).toMatchObject(named);
    const shown = await svc(`batches review ${path()}`, { tty: { stdout: true } });
    expect(shown.stdout).toContain('1 row left out (1 of them pending)');
    await settle(PAID);
    await plan();
    expect(headOf()).toMatchObject({ left_out: 1 });
    expect(headOf()).not.toHaveProperty('skipped_pending');
  });

  it('is read by apply and resume, waited for, and shown by status, which reads nothing', async () => {
    await plan();
    const applied = await apply();
    expect(applied.json(), applied.stderr).toMatchObject({ rows: 1, confirmed: 1, ...left('pending') });
    expect(applied.exitCode).toBe(0);
    const ran = await svc('batches resume third --wait-timeout 10s --json');
    expect(ran.error()).toMatchObject({ exit_code: 8, message: 'Batch third: 1 row is still pending.' });
    await settle(PAID);
    const transport = () => Promise.reject(new Error('asked'));
    expect((await svc('batches status third --json', { transport })).json()).toMatchObject(left('pending'));
    const resumed = await svc('batches resume third --wait --json');
    expect(resumed.json()).toMatchObject(left('confirmed'));
    expect(resumed.exitCode).toBe(0);
    expect((await svc('batches status third --json')).json()).toMatchObject(left('confirmed'));
    expect(sent().filter((body) => body.includes('emp-000'))).toHaveLength(2);
  });

  it.each(['before', 'since'])('ends with 3 where that failed %s, and is in no sending', async (when) => {
    await plan();
    if (when === 'since') expect((await apply()).exitCode).toBe(0);
    await settle(FAILED);
    const ended = await (when === 'since' ? svc('batches resume third --json') : apply());
    expect(ended.json(), ended.stderr).toMatchObject({ rows: 1, confirmed: 1, failed: 0, ...left('failed') });
    expect(ended).toMatchObject({ exitCode: 3 });
    const { next_command: next } = ended.error();
    const listed = await here.paste(`${String(next)} --json`);
    expect(listed.json()).toMatchObject({ operations: [{ id, status: 'failed' }] });
    const shown = await svc('batches status third', { tty: { stdout: true } });
    expect(stripVTControlCharacters(shown.stdout)).toContain(id);
    expect(await svc('batches retry third --json')).toMatchObject({ exitCode: 2 });
    expect(sent().filter((body) => body.includes('emp-0000'))).toHaveLength(1);
  });
});
