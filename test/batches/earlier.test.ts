import { beforeEach, describe, expect, it } from 'vitest';
import { FAILING, PENDING, people, person } from '../support/payroll.js';
import { batchHome } from '../support/batch-home.js';
import { NOT_ARRIVED, refusal } from '../support/shaky-sandbox.js';

const HOUR_MS = 3_600_000;
const here = batchHome(people(3));
const { svc } = here;
const blind = () => svc(`payouts batch ${here.file} --concurrency 1 --skip-feed-check --json`);

describe('an answer with an operation that was there before', () => {
  beforeEach(async () => {
    await here.begin();
    here.lose();
  });

  it('is a line of the summary of its own, in rows and money, and the sums are the whole file', async () => {
    here.home.clock.advance(HOUR_MS);
    const result = await here.pay([...people(2), person(7)], 'more', '--skip-feed-check');
    expect(result).toMatchObject({ exitCode: 3 });
    expect(result.json()).toMatchObject({
      ...{ rows: 3, confirmed: 1, earlier: 2 },
      totals: { VES: { total: '309.50', confirmed: '107.50', earlier: '202.00' } },
      states: { confirmed: 1, earlier: 2 },
    });
    const next = 'svc batches export --state earlier more';
    expect(result.error()).toMatchObject({ code: 'rows_failed', next_command: next });
    const said = '2 rows have an older payment; svc paid nothing new for them.';
    expect(result.error()['message']).toContain(said);
    expect((await here.rows('more'))['emp-0000']).toMatchObject({
      ...{ state: 'earlier', code: 'older_payment' },
      operation_created_at: expect.stringMatching(/^2026-09-23T15:00/) as string,
    });
    const listed = (await svc('batches list --json')).json() as { batches: object[] };
    expect(listed.batches).toMatchObject([{ batch: 'more', confirmed: 1, earlier: 2 }]);
  });

  it('five times in a row stops the run, and both causes are named', async () => {
    await here.pay(people(9), 'nine', '--skip-paid');
    here.lose();
    here.home.clock.advance(HOUR_MS);
    const posts = here.shaky.posts.length;
    const result = await here.pay([...people(9), person(20)], 'again', '--skip-feed-check');
    expect(result).toMatchObject({ exitCode: 3 });
    const next = 'svc batches resume again';
    expect(result.json()).toMatchObject({ earlier: 5, not_sent: 5, resume_command: next });
    expect(result.error()['message']).toMatch(
      /the service answered five rows in a row with older payments: they were paid before, or its clocks disagree/,
    );
    expect(result.error()['next_command']).toBe(next);
    expect(here.shaky.posts).toHaveLength(posts + 5);
    expect((await here.paste(result.error()['next_command'])).stderr).toContain('references_paid');
    const skipped = await svc('batches resume again --skip-paid --json');
    expect(skipped.json(), skipped.stderr).toMatchObject({ earlier: 9, confirmed: 1, not_sent: 0 });
  });
});

it('an open row whose payment shows in the events from before it left is refused, and --skip-paid makes it an earlier one', async () => {
  await here.pay([person(0)], 'there', '', { env: here.machine('b') });
  here.home.clock.advance(HOUR_MS);
  here.shaky.next(...NOT_ARRIVED);
  await blind();
  const posts = here.shaky.posts.length;
  const refused = await svc('batches resume pay --json');
  expect(refused.error()).toMatchObject({ code: 'references_paid' });
  expect(here.shaky.posts).toHaveLength(posts);
  const skipped = await here.paste(refused.error()['next_command']);
  expect(skipped.json()).toMatchObject({ earlier: 1, confirmed: 2 });
  expect(here.shaky.posts).toHaveLength(posts);
});

it('a row planned long ago has the key of the try that is under way on another machine, where one failed', async () => {
  here.shaky.next(refusal(401, 'unauthorized'));
  await here.pay([person(0, PENDING)], 'pay');
  const env = here.machine('other');
  expect((await here.pay([person(0, FAILING)], 'there', '', { env })).json()).toMatchObject({ failed: 1 });
  here.home.clock.advance(20 * HOUR_MS);
  expect((await here.pay([person(0, PENDING)], 'mended', '', { env })).json()).toMatchObject({ pending: 1 });
  here.home.clock.advance(30_000);
  const { operation_id: theirs } = (await here.rows('mended', env))['emp-0000']!;
  const resumed = await svc('batches resume pay --json');
  const keys = here.shaky.posts.map(({ headers }) => headers['idempotency-key']);
  const [denied, failed, pending] = keys;
  expect(failed).toBe(denied);
  expect(keys.at(-1)).toBe(pending);
  expect(resumed.json(), resumed.stderr).toMatchObject({ pending: 1, failed: 0 });
  expect((await here.rows())['emp-0000']).toMatchObject({ operation_id: theirs });
});
