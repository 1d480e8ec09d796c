/** Ages count in the service's time: a machine whose clock is hours off, or is set in between, neither refuses nor pays twice. */
import { describe, expect, it } from 'vitest';
import { fakeClock, type FakeClock } from '../../support/fake-clock.js';
import { KEY, LOST, NOT_ARRIVED, shop, type Shop } from '../../support/open-request.js';
import { operation, payout } from '../../support/requests.js';
import type { Fate } from '../../support/shaky-sandbox.js';

const HOUR_MS = 3_600_000;
const OFF = [-30 * HOUR_MS, -5 * HOUR_MS, 0, 5 * HOUR_MS, 30 * HOUR_MS];

/** A machine that is so much ahead of its service; time passes for both. */
function apart(offMs: number): Shop & { readonly serviceClock: FakeClock; pass(ms: number): void } {
  let serviceClock: FakeClock | null = null;
  const world = shop(({ clock }) => (serviceClock = fakeClock(clock.now() - offMs)));
  const there = serviceClock as FakeClock | null;
  if (there === null) throw new Error('a shop asks for the clock of its service');
  return {
    ...world,
    serviceClock: there,
    pass: (ms) => {
      world.home.clock.advance(ms);
      there.advance(ms);
    },
  };
}

describe.each(OFF)('a machine that is %i ms ahead', (offMs) => {
  it('pays, and its answer is not taken for an older payment', async () => {
    const { svc, open } = apart(offMs);
    // The second one knows the catalog, and has heard nothing before it leaves.
    for (const reference of ['invoice-1', 'invoice-2']) {
      const paid = await svc([...payout(), '--reference', reference]);
      expect(paid.exitCode, paid.stderr).toBe(0);
      expect(paid.stderr).not.toMatch(/Nothing new/);
    }
    expect(await open()).toEqual([]);
  });

  it('repeats for 23 hours of the service, and no longer', async () => {
    const { svc, pay, pass, service } = apart(offMs);
    await pay('invoice-2047');
    await pay(KEY, LOST);
    await pay('invoice-2049', NOT_ARRIVED);
    pass(23 * HOUR_MS - 60_000);
    expect((await svc(`requests repeat ${KEY}`)).exitCode).toBe(0);
    pass(120_000);
    const posts = service.posts.length;
    expect((await svc('requests repeat invoice-2049')).error()).toMatchObject({ code: 'too_old' });
    expect((await pay('invoice-2049')).error()).toMatchObject({ code: 'too_old' });
    expect((await pay(KEY)).error()).toMatchObject({ code: 'key_used' });
    expect(service.posts).toHaveLength(posts);
  });
});

describe('a clock that is set', () => {
  it.each([-20 * HOUR_MS, 20 * HOUR_MS])(
    'by %i ms between the catalog and a create that is lost changes no age',
    async (setMs) => {
      const { home, svc, pay, pass, serviceClock, service } = apart(0);
      await pay('invoice-2047');
      home.clock.advance(setMs);
      // They leave by a clock that is wrong, and an answer says what time it was; the last attempt is cut.
      const date = new Date(serviceClock.now()).toUTCString();
      const first: Fate = { status: 502, body: '', headers: { date } };
      await pay(KEY, [first, 'lost-after', 'lost-after']);
      await pay('invoice-2049', [first, 'lost-before', 'lost-before']);
      pass(22 * HOUR_MS);
      expect((await svc(`requests repeat ${KEY}`)).exitCode).toBe(0);
      pass(2 * HOUR_MS);
      expect((await svc('requests repeat invoice-2049')).error()).toMatchObject({ code: 'too_old' });
      expect(await service.ledger()).toMatchObject({ [KEY]: 1 });
    },
  );

  it('forward by a day does not make an equal create without a reference another payment', async () => {
    const { home, svc, pay, service } = apart(0);
    await pay('invoice-2047');
    service.next(...LOST);
    await svc(payout());
    home.clock.advance(23.5 * HOUR_MS);
    expect((await svc(payout())).error()).toMatchObject({ exit_code: 13, code: 'reference_open' });
  });

  it('back by a day makes no key young again', async () => {
    const { home, pay, pass, service } = apart(0);
    await pay(KEY, NOT_ARRIVED);
    await pay('invoice-2049');
    pass(24 * HOUR_MS);
    home.clock.advance(-24 * HOUR_MS);
    const posts = service.posts.length;
    expect((await pay(KEY)).error()).toMatchObject({ code: 'too_old' });
    expect((await pay('invoice-2049')).error()).toMatchObject({ code: 'key_used' });
    expect(service.posts).toHaveLength(posts);
  });
});

it('nothing is taken for an older payment where the service does not say what time it is', async () => {
  const { svc, service, open } = shop();
  const plain: typeof service.transport = async (request, options) => {
    const answer = await service.transport(request, options);
    return { ...answer, headers: answer.headers.filter(([name]) => name.toLowerCase() !== 'date') };
  };
  service.next({ status: 201, body: operation({ reference: KEY, created_at: '2026-09-20T00:00:00Z' }) });
  const paid = await svc([...payout(), '--reference', KEY], { transport: plain });
  expect(paid.exitCode, paid.stderr).toBe(0);
  expect(await open()).toEqual([]);
});
