/** A reference is paid once: what is open in the book, and what a batch has paid or is about to, stands in the way of a create. */
import { describe, expect, it } from 'vitest';
import { KEY, LOST, shop, type Shop } from '../../support/open-request.js';
import { debitOtp, payout, PAYOUT_BODY } from '../../support/requests.js';
import { csv, fileIn, people } from '../../support/payroll.js';
import { refusal, type Fate } from '../../support/shaky-sandbox.js';
import type { Result } from '../../support/svc.js';

const DAY_MS = 24 * 3_600_000;
const LINE = [...payout(), '--reference', KEY];
const KEY_OF_IT = /Idempotency-Key: (.*)\n/;

/** Runs what an error says to run. */
const next = ({ svc }: Shop, { error }: Result): Promise<Result> =>
  svc(String(error()['next_command']).split(' ').slice(1));

describe('a create whose answer was lost, typed again', () => {
  it('is refused, and the printed command finds what it has paid', async () => {
    const world = shop();
    const { svc, open, service } = world;
    service.next(...LOST);
    const lost = await svc(LINE);
    const key = KEY_OF_IT.exec(lost.stderr)?.[1] ?? '';
    const again = await svc(LINE);
    expect([again.exitCode, again.stdout]).toEqual([13, '']);
    expect(again.error()).toMatchObject({
      code: 'reference_open',
      outcome: 'unknown',
      idempotency_key: key,
      next_command: `svc requests repeat -- ${key}`,
    });
    expect(service.posts).toHaveLength(3);
    expect((await next(world, again)).json()).toMatchObject({ reference: KEY });
    expect(await service.ledger()).toEqual({ [KEY]: 1 });
    expect(await open()).toEqual([]);
    // Now it is known: another one is another payment.
    expect((await svc(LINE)).exitCode).toBe(0);
    expect(await service.ledger()).toEqual({ [KEY]: 2 });
  });

  it.each([
    ['another amount', [...payout('12345678', '6.00'), '--reference', KEY]],
    ['another spelling', [...payout(), '--reference', ` ${KEY.toUpperCase()} `]],
    ['a key of its own', [...LINE, '--idempotency-key', 'another-key']],
    ['svc api', ['api', 'POST', '/v2/payouts', '--data', PAYOUT_BODY.replace('{', `{"reference":"${KEY}",`)]],
  ])('is refused with %s', async (_name, words) => {
    const { svc, pay, service } = shop();
    await pay(KEY, LOST);
    expect((await svc(words)).error()).toMatchObject({
      exit_code: 13,
      code: 'reference_open',
      next_command: `svc requests repeat -- ${KEY}`,
    });
    expect(service.posts).toHaveLength(3);
  });

  it.each([
    ['straße 7', 'STRASSE 7', 'refused'],
    ['STRASSE-7', 'straße – 7', 'refused'],
    ['A – 1', 'a-1', 'refused'],
    ['A-1', 'A\u00a0- 1', 'refused'],
    ['ΟΔΟΣ 1', 'οδοσ 1', 'refused'],
    ['A-1', 'A 1', 'another'],
    ['A-1', 'A1', 'another'],
    ['straße', 'strase', 'another'],
  ])('%s, typed again as %s, is %s', async (one, other, what) => {
    const { svc, service } = shop();
    service.next(...LOST);
    await svc([...payout(), '--reference', one]);
    const again = await svc([...payout(), '--reference', other]);
    if (what === 'refused') expect(again.error()).toMatchObject({ exit_code: 13, code: 'reference_open' });
    else expect(again.exitCode, again.stderr).toBe(0);
  });

  it('is not insisted over while it may be sent again', async () => {
    const { svc, open, service } = shop();
    service.next(...LOST);
    const key = KEY_OF_IT.exec((await svc(LINE)).stderr)?.[1] ?? '';
    expect((await svc([...LINE, '--new-payment', key])).error()).toMatchObject({
      ...{ exit_code: 13, code: 'reference_open', next_command: `svc requests repeat -- ${key}` },
    });
    expect(await open()).toHaveLength(1);
    expect(await service.ledger()).toEqual({ [KEY]: 1 });
  });

  it('goes on with the same key: it is the repetition itself', async () => {
    const { pay, open, service } = shop();
    await pay(KEY, LOST);
    expect((await pay(KEY)).exitCode).toBe(0);
    expect(await service.ledger()).toEqual({ [KEY]: 1 });
    expect(await open()).toEqual([]);
  });

  it('is not refused for a pay-in of that reference, nor after an answer that was definite', async () => {
    const { svc, pay } = shop();
    await pay(KEY, LOST);
    expect((await svc([...debitOtp(), '--reference', KEY])).exitCode).toBe(0);
    await pay('invoice-2049', [refusal(400, 'amount_out_of_range')]);
    expect((await svc([...payout(), '--reference', 'invoice-2049'])).exitCode).toBe(0);
  });

  it('is refused after it was forgotten, for as long as nobody knows its outcome', async () => {
    const { home, svc, pay } = shop();
    await pay(KEY, LOST);
    await svc(`requests forget ${KEY} --yes`);
    const refused = await svc(LINE);
    const next = `svc operations list --reference ${KEY}`;
    expect(refused.error()).toMatchObject({ exit_code: 13, code: 'reference_open', next_command: next });
    expect(refused.error()['message']).toMatch(/never known.*svc does not send it again/);
    home.clock.advance(500 * DAY_MS);
    // Any create clears what is old.
    await pay('invoice-2049');
    expect((await svc(LINE)).exitCode).toBe(13);
  });
});

describe('a create without a reference', () => {
  it('is refused where an equal one is open, for as long as it is', async () => {
    const { home, svc, service } = shop();
    service.next(...LOST);
    const key = KEY_OF_IT.exec((await svc(payout())).stderr)?.[1] ?? '';
    const again = await svc(payout());
    expect(again.error()).toMatchObject({
      code: 'reference_open',
      next_command: `svc requests repeat -- ${key}`,
    });
    expect((await svc(payout('12345678', '6.00'))).exitCode).toBe(0);
    home.clock.advance(2 * DAY_MS);
    expect((await svc(payout())).error()).toMatchObject({ code: 'reference_open' });
  });

  it('is refused while an equal one is under way in another window', async () => {
    const { svc, service } = shop();
    const seen: Record<string, unknown>[] = [];
    service.onPost = async () => {
      service.onPost = () => undefined;
      seen.push((await svc(payout())).error());
    };
    expect((await svc(payout())).exitCode).toBe(0);
    expect(seen).toMatchObject([{ exit_code: 13, code: 'reference_open' }]);
    expect(service.posts).toHaveLength(1);
  });
});

describe('a reference that a batch of this machine has', () => {
  const [first, second] = people(2);
  const reference = first?.['reference'] ?? '';

  async function batch(world: Shop, ...fates: readonly Fate[]): Promise<Result> {
    fileIn(world.home.home, 'pay.csv', csv([first!, second!]));
    world.service.next(...fates);
    return world.svc(`payouts batch ${world.home.home}/pay.csv --concurrency 1 --json`);
  }

  it('and that was paid is refused, by the name of the batch, unless another payment is meant', async () => {
    const world = shop();
    expect((await batch(world)).exitCode).toBe(0);
    const posts = world.service.posts.length;
    const line = [...payout(), '--reference', reference.toLowerCase()];
    const refused = await world.svc(line);
    expect(refused.error()).toMatchObject({ exit_code: 13, code: 'reference_paid', outcome: 'not_sent' });
    expect(refused.error()['message']).toMatch(
      /operation [0-9a-f-]{36}, confirmed, .*, by batch pay, line 2/,
    );
    const id = String(((await next(world, refused)).json() as { id: unknown }).id);
    expect(world.service.posts).toHaveLength(posts);
    expect((await world.svc('requests list')).json()).toEqual({ requests: [] });
    expect((await world.svc([...line, '--new-payment', id])).exitCode).toBe(0);
  });

  it('and that is open is refused, with the command that goes on with the batch', async () => {
    const world = shop();
    expect((await batch(world, ...LOST)).exitCode).toBe(12);
    const refused = await world.svc([...payout(), '--reference', reference]);
    expect(refused.error()).toMatchObject({
      code: 'reference_open',
      next_command: 'svc batches resume pay',
    });
    expect((await next(world, refused)).exitCode).toBe(0);
    expect(await world.service.ledger()).toMatchObject({ [reference]: 1 });
  });

  it('and that was rejected is not', async () => {
    const world = shop();
    expect((await batch(world, refusal(400, 'bank_unsupported'))).exitCode).toBe(3);
    expect((await world.svc([...payout(), '--reference', reference])).exitCode).toBe(0);
  });
});
