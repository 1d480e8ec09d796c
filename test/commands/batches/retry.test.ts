/** `svc batches retry --failed`: what failed is paid once more at the most, whatever else has paid it meanwhile. */
import { describe, expect, it } from 'vitest';
import { csv, fileIn, people, person } from '../../support/payroll.js';
import { refusal, type Fate } from '../../support/shaky-sandbox.js';
import { batchHome } from '../../support/batch-home.js';

const FAILING = { 'beneficiary.document.number': '00000001' };
const here = batchHome([person(0), person(1, FAILING), person(2)]);
const { svc, begin } = here;

const LOST: readonly Fate[] = ['lost-before', 'lost-before', 'lost-before'];
const keys = (from: number): unknown[] =>
  here.shaky.posts.slice(from).map(({ headers }) => headers['idempotency-key']);
const mended = person(1);

describe('a retry', () => {
  it('starts failed rows anew with another key, and rejected ones with their own', async () => {
    await begin('answered', 'answered', refusal(400, 'method_unavailable'));
    const [, failed, rejected] = keys(0);
    expect((await svc('batches retry pay')).exitCode).toBe(2);
    const result = await svc('batches retry pay --failed --concurrency 1 --json');
    expect(result).toMatchObject({ exitCode: 3 });
    expect(result.json()).toMatchObject({ confirmed: 2, failed: 1 });
    const [again, same, ...more] = keys(3);
    expect(again).not.toBe(failed);
    expect(same).toBe(rejected);
    expect(more).toEqual([]);
    expect((await here.rows())['emp-0001']).toMatchObject({ state: 'failed', code: 'counterparty_rejected' });
  });

  it('has nothing to do where nothing failed', async () => {
    fileIn(here.home.home, 'pay.csv', csv(people(4)));
    await begin();
    expect((await svc('batches retry pay --failed')).exitCode).toBe(2);
    expect(here.shaky.posts).toHaveLength(4);
  });

  it('sends nothing where another batch has paid the reference since, and names that payment', async () => {
    await begin();
    expect((await here.pay([mended], 'mended')).json()).toMatchObject({ confirmed: 1 });
    const posts = here.shaky.posts.length;
    const refused = await svc('batches retry pay --failed --json');
    expect(refused.error()).toMatchObject({
      code: 'references_paid',
      exit_code: 13,
      outcome: 'not_sent',
      message: expect.stringMatching(
        /line 3: emp-0001: .*101.50 VES, confirmed on .*batch mended, line 2/,
      ) as string,
      next_command: 'svc batches retry pay --failed --json --skip-paid',
    });
    expect(here.shaky.posts).toHaveLength(posts);
    expect((await here.rows())['emp-0001']).toMatchObject({ state: 'failed' });
  });

  it('and --skip-paid makes that payment the row’s earlier one, which is no failure', async () => {
    await begin();
    await here.pay([mended], 'mended');
    const posts = here.shaky.posts.length;
    const { operation_id: id } = (await here.rows('mended'))['emp-0001']!;
    const refused = await svc('batches retry pay --failed --json');
    const skipped = await here.paste(refused.error()['next_command']);
    expect(here.shaky.posts).toHaveLength(posts);
    expect((await here.rows())['emp-0001']).toMatchObject({ state: 'earlier', operation_id: id });
    expect(skipped.exitCode, skipped.stderr).toBe(0);
    expect(skipped.json()).toMatchObject({ confirmed: 2, earlier: 1, failed: 0 });
  });

  it('and --skip-paid still sends the others', async () => {
    fileIn(here.home.home, 'pay.csv', csv([person(0), person(1, FAILING), person(2, FAILING)]));
    await begin();
    await here.pay([mended], 'mended');
    const posts = here.shaky.posts.length;
    const result = await svc('batches retry pay --failed --skip-paid --json');
    expect(result.json()).toMatchObject({ confirmed: 1, earlier: 1, failed: 1 });
    expect(here.shaky.posts).toHaveLength(posts + 1);
  });

  it('sends nothing while another batch has the reference under way', async () => {
    await begin();
    here.shaky.next(...LOST);
    expect((await here.pay([mended], 'mended')).json()).toMatchObject({ unknown: 1 });
    const posts = here.shaky.posts.length;
    for (const words of ['', '--skip-paid']) {
      const refused = await svc(`batches retry pay --failed --json ${words}`);
      expect(refused.error()).toMatchObject({
        code: 'references_paid',
        next_command: 'svc batches resume mended',
      });
    }
    expect(here.shaky.posts).toHaveLength(posts);
    expect((await svc('batches resume mended --json')).json()).toMatchObject({ confirmed: 1 });
    const settled = await svc('batches retry pay --failed --skip-paid --json');
    expect(settled.json()).toMatchObject({ confirmed: 2, earlier: 1 });
    expect(here.shaky.posts).toHaveLength(posts + 1);
  });

  it('of two batches whose rows both failed pays once: they have the same next key', async () => {
    await begin();
    expect((await here.pay([person(1, FAILING)], 'twice')).json()).toMatchObject({ failed: 1 });
    const [first] = keys(1);
    const second = (await here.rows('twice'))['emp-0001']!['idempotency_key'];
    expect(second).not.toBe(first);
    await svc('batches retry pay --failed --json');
    await svc('batches retry twice --failed --json');
    expect(new Set(keys(3)).size).toBe(3);
    expect(await here.shaky.ledger()).toEqual({ 'emp-0000': 1, 'emp-0001': 4, 'emp-0002': 1 });
  });

  it('is followed to the end of what it started, for as long as --wait-timeout says', async () => {
    const late = { 'beneficiary.document.number': '00000002' };
    here.shaky.next(refusal(400, 'method_unavailable'));
    expect((await here.pay([person(5, late)], 'late')).json()).toMatchObject({ rejected: 1 });
    const result = await svc('batches retry late --failed --wait-timeout 5m --json');
    expect(result.json()).toMatchObject({ confirmed: 1 });
  });
});
