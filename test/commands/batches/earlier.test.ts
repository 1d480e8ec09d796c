/** Rows for which an older payment stands: never confirmed, counted for themselves, and five in a row stop the run. */
import { beforeEach, describe, expect, it } from 'vitest';
import { feesCsv, fileIn, people, person } from '../../support/payroll.js';
import { batchHome } from '../../support/batch-home.js';
import type { Transport } from '../../../src/runtime/transport.js';
import type { Fate } from '../../support/shaky-sandbox.js';
import type { Result } from '../../support/svc.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LOST: readonly Fate[] = ['lost-before', 'lost-before', 'lost-before'];
const here = batchHome(people(3));
const { svc } = here;
/** Nobody looks into the events: the service itself answers with what it has under the key. */
const blind = (file: string, words = ''): Promise<Result> =>
  svc(`payouts batch ${file} --concurrency 1 --skip-feed-check --json ${words}`);

describe('an answer with an operation that was there before', () => {
  beforeEach(async () => {
    await here.begin();
    here.lose();
  });

  it.each([
    [9, { confirmed: 3, earlier: 0 }, 0],
    [11, { confirmed: 0, earlier: 3 }, 3],
  ])('%i minutes before the row left', async (minutes, counts, exitCode) => {
    here.home.clock.advance(minutes * MINUTE_MS);
    const result = await blind(here.file);
    expect(result.exitCode, result.stderr).toBe(exitCode);
    expect(result.json()).toMatchObject(counts);
    expect(await here.shaky.ledger()).toEqual({ 'emp-0000': 1, 'emp-0001': 1, 'emp-0002': 1 });
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
    expect(result.error()).toMatchObject({
      code: 'rows_failed',
      message: expect.stringContaining(
        '2 rows have an older payment; svc paid nothing new for them.',
      ) as string,
      next_command: 'svc batches export --state earlier more',
    });
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
    expect(result.json()).toMatchObject({
      earlier: 5,
      not_sent: 5,
      resume_command: 'svc batches resume again',
    });
    expect(result.error()['message']).toMatch(
      /the service answered five rows in a row with older payments: they were paid before, or its clocks disagree/,
    );
    expect(result.error()['next_command']).toBe('svc batches resume again');
    expect(here.shaky.posts).toHaveLength(posts + 5);
    const resumed = await here.paste(result.error()['next_command']);
    expect(resumed.stderr).toContain('references_paid');
    const skipped = await svc('batches resume again --skip-paid --json');
    expect(skipped.json(), skipped.stderr).toMatchObject({ earlier: 9, confirmed: 1, not_sent: 0 });
  });

  it('four times, one that is new and four times does not', async () => {
    await here.pay(people(9), 'nine', '--skip-paid');
    here.lose();
    here.home.clock.advance(HOUR_MS);
    const rows = [...people(4), person(20), ...people(9).slice(4, 8)];
    const result = await here.pay(rows, 'again', '--skip-feed-check');
    expect(result.json()).toMatchObject({ earlier: 8, confirmed: 1, not_sent: 0 });
  });
});

it('a service whose clocks disagree is stopped at too, and nobody is paid twice when it is mended', async () => {
  const ahead: Transport = async (request, options) => {
    const answer = await here.shaky.transport(request, options);
    const date = new Date(here.home.clock.now() + HOUR_MS).toUTCString();
    return {
      ...answer,
      headers: [...answer.headers.filter(([name]) => name.toLowerCase() !== 'date'), ['Date', date]],
    };
  };
  const nine = people(9);
  await here.pay(nine, 'nine', '--dry-run');
  const result = await svc(`payouts batch ${here.home.home}/nine.csv --concurrency 1 --json`, {
    transport: ahead,
  });
  expect(result.json(), result.stderr).toMatchObject({ earlier: 5, not_sent: 4 });
  expect(result.stderr).toContain('or its clocks disagree');
  const resumed = await svc('batches resume nine --json');
  expect(resumed.json()).toMatchObject({ earlier: 5, confirmed: 4 });
  expect(Object.values(await here.shaky.ledger())).toEqual(Array(9).fill(1));
});

describe('an older payment that is pending', () => {
  const fees = (): Promise<Result> => {
    const file = fileIn(here.home.home, 'fees.csv', feesCsv('incoming_transfer', ['fee-1,20.00']));
    return svc(`payins batch ${file} --skip-feed-check --json`);
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
  let operation = '';
  beforeEach(async () => {
    expect((await fees()).json()).toMatchObject({ pending: 1 });
    here.lose();
    here.home.clock.advance(HOUR_MS);
    expect((await fees()).json()).toMatchObject({ earlier: 1, pending: 0 });
    operation = (await here.rows('fees'))['fee-1']!['operation_id']!;
  });

  it('is followed to its end, and stays an earlier one where it is paid', async () => {
    expect((await control('payments', { for: operation })).status).toBe(200);
    const result = await svc('batches resume fees --wait --json');
    expect(result.json()).toMatchObject({ earlier: 1, confirmed: 0, failed: 0 });
  });

  it('counts as failed where it fails, and a retry collects it once', async () => {
    expect((await svc(`payins cancel ${operation} --json`)).exitCode).toBe(0);
    expect((await svc('batches resume fees --json')).json()).toMatchObject({ earlier: 0, failed: 1 });
    expect((await svc('batches retry fees --failed --json')).json()).toMatchObject({ pending: 1 });
  });
});

describe('a row that is too old to be sent again', () => {
  const control = async (id: string): Promise<void> => {
    const { status } = await here.shaky.transport(
      {
        method: 'POST',
        url: 'http://localhost:4010/_control/payments',
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify({ for: id })),
      },
      { timeoutMs: 1000 },
    );
    expect(status).toBe(200);
  };

  it('is settled by the next resume once its payment shows in the events', async () => {
    const text = feesCsv('incoming_transfer', ['fee-1,20.00']).trimEnd().split('\n');
    const file = fileIn(here.home.home, 'fees.csv', `${text[0]!},expires_in_hours\n${text[1]!},72\n`);
    here.shaky.next('lost-after', 'lost-after', 'lost-after');
    await svc(`payins batch ${file} --json`);
    const { body } = await here.shaky.transport(here.shaky.posts[0]!, { timeoutMs: 1000 });
    const { id } = JSON.parse(Buffer.from(body).toString('utf8')) as { id: string };
    here.home.clock.advance(30 * HOUR_MS);
    expect((await svc('batches resume fees --json')).json()).toMatchObject({ states: { needs_review: 1 } });
    // The payer pays on the second day; the operation is the one that the row has made.
    await control(id);
    const posts = here.shaky.posts.length;
    const settled = await svc('batches resume fees --json');
    expect(settled.json(), settled.stderr).toMatchObject({ confirmed: 1, unknown: 0 });
    expect((await here.rows('fees'))['fee-1']).toMatchObject({ state: 'confirmed', operation_id: id });
    expect(here.shaky.posts).toHaveLength(posts);
  });
});

describe('an open row whose payment shows in the events', () => {
  const payElsewhere = (hours: number): Promise<Result> => {
    here.home.clock.advance(hours * HOUR_MS);
    return here.pay([person(0)], 'there', '--skip-feed-check', { env: here.machine('b') });
  };

  it.each([
    [23, 'confirmed'],
    [25, 'earlier'],
  ])('made %i hours after it left: %s', async (hours, state) => {
    await here.begin(...LOST);
    await payElsewhere(hours);
    const posts = here.shaky.posts.length;
    await svc('batches resume pay --json');
    expect((await here.rows())['emp-0000']).toMatchObject({ state });
    expect(here.shaky.posts).toHaveLength(posts);
  });

  it('with another amount is for a person', async () => {
    await here.begin(...LOST);
    await here.pay([person(0, { amount: '1.00' })], 'there', '--skip-feed-check', { env: here.machine('b') });
    const posts = here.shaky.posts.length;
    expect((await svc('batches resume pay --json')).exitCode).toBe(12);
    expect((await here.rows())['emp-0000']).toMatchObject({ state: 'needs_review', code: 'other_payment' });
    expect(here.shaky.posts).toHaveLength(posts);
  });

  it('from before it left is refused, and --skip-paid makes it an earlier one', async () => {
    await here.pay([person(0)], 'there', '', { env: here.machine('b') });
    here.home.clock.advance(HOUR_MS);
    here.shaky.next(...LOST);
    await blind(here.file);
    const posts = here.shaky.posts.length;
    const refused = await svc('batches resume pay --json');
    expect(refused.error()).toMatchObject({ code: 'references_paid' });
    expect(here.shaky.posts).toHaveLength(posts);
    expect((await here.paste(refused.error()['next_command'])).json()).toMatchObject({
      earlier: 1,
      confirmed: 2,
    });
    expect(here.shaky.posts).toHaveLength(posts);
  });
});
