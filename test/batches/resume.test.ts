import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Stopped } from '../../src/runtime/ports.js';
import { csv, people } from '../support/payroll.js';
import { refusal, UNAVAILABLE } from '../support/shaky-sandbox.js';
import { meddle } from '../support/database-dump.js';
import { batchHome } from '../support/batch-home.js';
import type { Result } from '../support/svc.js';

const here = batchHome();
const { svc, begin } = here;

const half = (): Promise<Result> => begin('answered', ...UNAVAILABLE);

describe('resume', () => {
  it('needs no file, and one that was overwritten does not stop it: the store has every row', async () => {
    await half();
    writeFileSync(here.file, csv(people(5, () => ({ amount: '999.00' }))));
    const again = await svc(`payouts batch ${here.file} --json`);
    expect(again.failure()).toBe('13 file_changed');
    expect(again.error()['next_command']).toBe('svc batches resume pay');
    rmSync(here.file);
    const posts = here.shaky.posts.length;
    const resumed = await here.paste(again.error()['next_command']);
    expect(resumed.json()).toMatchObject({ confirmed: 4, totals: { VES: { confirmed: '408.00' } } });
    expect(here.shaky.posts).toHaveLength(posts + 1);
  });

  it('is printed once for a person: beneath the error', async () => {
    here.shaky.next(...UNAVAILABLE);
    const tty = { stdin: true, stdout: true, stderr: true };
    const result = await svc(`payouts batch ${here.file} --concurrency 1`, { tty });
    expect(result.exitCode, result.stderr).toBe(10);
    expect(`${result.stdout}${result.stderr}`.match(/svc batches resume/g)).toHaveLength(1);
  });

  it('keeps to the flags of a run', async () => {
    await half();
    const startMs = here.home.clock.monotonic();
    await begin(...UNAVAILABLE);
    const result = await svc('batches resume pay --rate 1/s --concurrency 2 --wait-timeout 5s --json');
    expect(result.json()).toMatchObject({ confirmed: 4 });
    expect(here.home.clock.monotonic()).toBeGreaterThan(startMs);
    expect((await svc('batches resume pay --rate x')).exitCode).toBe(2);
    expect((await svc('batches resume pay --confirm-total VES:1')).failure()).toBe('13 total_differs');
  });
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'a signal, %s, lets what is under way end, and names the command that goes on',
  async (name, exitCode) => {
    const controller = new AbortController();
    const { signal } = controller;
    here.shaky.onPost = () => here.shaky.posts.length === 2 && controller.abort(new Stopped(name, exitCode));
    const result = await svc(`payouts batch ${here.file} --concurrency 1 --json`, { signal });
    expect(result).toMatchObject({ exitCode });
    expect(result.json()).toMatchObject({ confirmed: 2, not_sent: 2, unknown: 0 });
    const next = 'svc batches resume pay';
    expect(result.stderr).toContain(`Press Ctrl-C again to stop now; this is safe. Then: ${next}`);
    expect(result.error()).toMatchObject({ code: 'stopped', next_command: next });
    here.shaky.onPost = () => undefined;
    expect((await svc('batches resume pay --json')).json()).toMatchObject({ confirmed: 4 });
    expect(here.shaky.posts).toHaveLength(4);
  },
);

describe('the books', () => {
  it('list and show every batch', async () => {
    await half();
    const counts = { batch: 'pay', type: 'payout', rows: 4, confirmed: 3, not_sent: 1 };
    expect((await svc('batches list --json')).json()).toMatchObject({ batches: [counts] });
    const way = { resume_command: 'svc batches resume pay', file: here.file };
    expect((await svc('batches status pay --json')).json()).toMatchObject({ ...counts, ...way });
  });

  it('are exported as CSV, every row with what became of it', async () => {
    await begin('answered', refusal(400, 'field_invalid', [{ field: 'amount', code: 'invalid' }]));
    const { stdout } = await svc('batches export pay');
    const lines = stdout.trimEnd().split('\n');
    const columns = 'operation_id,operation_created_at,code,detail,sent_at,idempotency_key';
    expect(lines[0]).toBe(`line,reference,amount,currency,state,${columns}`);
    expect(lines).toHaveLength(5);
    const said = /^3,emp-0001,101\.50,VES,rejected,,,field_invalid,amount invalid,2026-.*,svcb2-[\w-]{43}$/;
    expect(lines[2]).toMatch(said);
    const filtered = await svc('batches export pay --state rejected --state failed -o ndjson');
    expect(filtered.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect((await svc('batches export pay --state planned')).stdout).toBe(`${lines[0]}\n`);
    expect((await svc('batches export pay --state planned -o ndjson')).stdout).toBe('');
  });

  it('that do not add up stop everything', async () => {
    await half();
    meddle(join(here.state, 'batches.db'), 'DELETE FROM rows WHERE number = 3');
    const posts = here.shaky.posts.length;
    expect((await svc('batches status pay --json')).failure()).toBe('16 unbalanced');
    expect((await svc('batches resume pay --json')).failure()).toBe('16 unbalanced');
    expect(here.shaky.posts).toHaveLength(posts);
  });
});
