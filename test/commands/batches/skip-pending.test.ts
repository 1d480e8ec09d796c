/** Rows that are left out for a payment which is pending: nobody calls them paid until it is, and where it fails they are paid after all. */
import { beforeEach, describe, expect, it } from 'vitest';
import { batchHome } from '../../support/batch-home.js';
import { feesCsv, fileIn } from '../../support/payroll.js';
import type { Result } from '../../support/svc.js';

const here = batchHome();
const { svc } = here;
/** Collects these fees by a transfer that somebody has to make, as a batch of that name. */
const collect = (batch: string, fees: readonly string[], words = ''): Promise<Result> => {
  const file = fileIn(here.home.home, `${batch}.csv`, feesCsv('incoming_transfer', [...fees]));
  return svc(`payins batch ${file} --batch ${batch} --json ${words}`);
};
const control = (path: string, body: object) =>
  here.shaky.transport(
    {
      method: 'POST',
      url: `http://localhost:4010/_control/${path}`,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(body)),
    },
    { timeoutMs: 1000 },
  );
const rowOf = async (batch: string): Promise<Readonly<Record<string, string>>> =>
  (await here.rows(batch))['fee-1']!;

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
    expect(listed.json()).toMatchObject({
      batches: [{ batch: 'first' }, { batch: 'second', pending: 2, earlier: 0 }],
    });
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

  it('ends with 8 where --wait runs out, and the line that is printed goes on', async () => {
    const ended = await here.paste(`${printed} --wait-timeout 20s`);
    expect(ended, ended.stderr).toMatchObject({ exitCode: 8 });
    expect(ended.json()).toMatchObject(PENDING);
    expect(ended.error()).toMatchObject({
      code: 'still_pending',
      message: 'Batch second: 2 rows are still pending.',
      next_command: 'svc batches resume --wait second',
    });
    expect((await control('payments', { for: operation })).status).toBe(200);
    const resumed = await svc('batches resume second --wait-timeout 20s --json');
    expect(resumed.json(), resumed.stderr).toMatchObject({ earlier: 1, pending: 1, states: { earlier: 1 } });
    expect(await rowOf('second')).toMatchObject({ state: 'earlier', code: 'skipped_as_paid' });
  });

  it.each(['', ' --wait-timeout 20s'])(
    'is an earlier one once a resume%s sees it confirmed',
    async (words) => {
      await here.paste(printed);
      expect((await control('payments', { for: operation })).status).toBe(200);
      const resumed = await svc(`batches resume second --json${words}`);
      expect(resumed.json()).toMatchObject({ earlier: 1, pending: 1, failed: 0 });
      expect((await svc('batches status second --json')).json()).toMatchObject({ earlier: 1, pending: 1 });
      expect(await rowOf('second')).toMatchObject({
        ...{ state: 'earlier', code: 'skipped_as_paid' },
        detail: expect.stringContaining('nothing new was paid') as string,
      });
    },
  );

  it.each(['', ' --wait-timeout 20s'])(
    'has failed once a resume%s sees that, and a retry pays it once',
    async (words) => {
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
    },
  );

  it('keeps its body: the batch is not finished', async () => {
    await here.paste(printed);
    expect((await svc('batches forget second')).error()).toMatchObject({
      code: 'not_finished',
      exit_code: 13,
    });
  });

  it('is an earlier one at once where the service has confirmed it meanwhile', async () => {
    expect((await control('payments', { for: operation })).status).toBe(200);
    const left = await here.paste(printed);
    expect(left.json(), left.stderr).toMatchObject({
      earlier: 1,
      pending: 1,
      pending_reasons: { awaiting_payment: 1 },
    });
  });
});
