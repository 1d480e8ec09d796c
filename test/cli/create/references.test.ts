/** A reference is paid once: what is open in the book, and what a batch has paid or is about to, stands in the way of a create. */
import { describe, expect, it } from 'vitest';
import { KEY, LOST, shop, type Shop } from '../../support/open-request.js';
import { payout } from '../../support/requests.js';
import { csv, fileIn, people } from '../../support/payroll.js';
import type { Fate } from '../../support/shaky-sandbox.js';
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
    const next_command = `svc requests repeat -- ${key}`;
    const said = { code: 'reference_open', outcome: 'unknown', idempotency_key: key, next_command };
    expect(again.error()).toMatchObject(said);
    expect(service.posts).toHaveLength(3);
    expect((await next(world, again)).json()).toMatchObject({ reference: KEY });
    expect(await service.ledger()).toEqual({ [KEY]: 1 });
    expect(await open()).toEqual([]);
    // Now it is known: another one is another payment.
    expect((await svc(LINE)).exitCode).toBe(0);
    expect(await service.ledger()).toEqual({ [KEY]: 2 });
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

describe('a reference that a batch of this machine has', () => {
  const [first, second] = people(2);
  const reference = first?.['reference'] ?? '';

  async function batch(world: Shop, ...fates: readonly Fate[]): Promise<Result> {
    fileIn(world.home.home, 'pay.csv', csv([first!, second!]));
    world.service.next(...fates);
    return world.svc(`payouts batch ${world.home.home}/pay.csv --concurrency 1 --json`);
  }

  it('and that is open is refused, with the command that goes on with the batch', async () => {
    const world = shop();
    expect((await batch(world, ...LOST)).exitCode).toBe(12);
    const refused = await world.svc([...payout(), '--reference', reference]);
    const said = { code: 'reference_open', next_command: 'svc batches resume pay' };
    expect(refused.error()).toMatchObject(said);
    expect((await next(world, refused)).exitCode).toBe(0);
    expect(await world.service.ledger()).toMatchObject({ [reference]: 1 });
  });
});
