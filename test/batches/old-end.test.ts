import { describe, expect, it } from 'vitest';
import { batchHome } from '../support/batch-home.js';
import { people } from '../support/payroll.js';
import type { HttpAnswer, HttpRequest, Transport } from '../../src/runtime/transport.js';
import type { Result } from '../support/svc.js';

const here = batchHome(people(2));
const { pay, svc } = here;
const MINUTE_MS = 60_000;
const FORGOTTEN_MS = 31 * 24 * 60 * MINUTE_MS;
const ONCE = { 'emp-0000': 1, 'emp-0001': 1 };

type Cache = ReturnType<typeof cache>;
type Told = (kept: HttpAnswer) => HttpAnswer;

function cache(nameOf: (url: string) => string = (url) => url, told: Told = (kept) => kept) {
  const kept = new Map<string, HttpAnswer>();
  const asked: string[] = [];
  const transport: Transport = async (request: HttpRequest, options) => {
    if (!new URL(request.url).pathname.endsWith('/v2/events')) return here.shaky.transport(request, options);
    asked.push(new URL(request.url).search);
    const name = nameOf(request.url);
    const known = kept.get(name);
    if (known !== undefined) return told(known);
    const answer = await here.shaky.transport(request, options);
    kept.set(name, answer);
    return answer;
  };
  return { asked, transport };
}

function withHeader(answer: HttpAnswer, name: string, ...values: readonly string[]): HttpAnswer {
  const others = answer.headers.filter(([one]) => one.toLowerCase() !== name.toLowerCase());
  return { ...answer, headers: [...others, ...values.map((value) => [name, value] as const)] };
}
const paidElsewhere = async ({ transport }: Cache, passedMs: number): Promise<void> => {
  expect((await svc('events sync', { transport })).exitCode).toBe(0);
  here.home.clock.advance(MINUTE_MS);
  expect((await pay(people(2), 'there', '', { env: here.machine('alone') })).exitCode).toBe(0);
  here.home.clock.advance(passedMs);
};
const again = ({ transport }: Cache): Promise<Result> => pay(people(2), 'march', '', { transport });

describe('a page that ends the feed', () => {
  it('is asked for once more with another limit where it is old', async () => {
    const old = cache();
    await paidElsewhere(old, FORGOTTEN_MS);
    old.asked.length = 0;
    expect((await again(old)).failure()).toBe('13 references_paid');
    expect(await here.shaky.ledger()).toEqual(ONCE);
    const limits = old.asked.map((query) => Number(new URLSearchParams(query).get('limit')));
    const [first, second, ...more] = limits;
    expect(first).toBe(200);
    expect(second).toBeGreaterThanOrEqual(100);
    expect(second).toBeLessThan(200);
    expect(more).toEqual([200]);
  });

  it('that is old whatever is asked for keeps everything from being sent', async () => {
    const old = cache(() => 'the feed');
    await paidElsewhere(old, FORGOTTEN_MS);
    old.asked.length = 0;
    const refused = await again(old);
    expect(refused.error()).toMatchObject({
      ...{ exit_code: 13, code: 'feed_unreadable', outcome: 'not_sent', retryable: true },
      message: expect.stringContaining('an old copy of the events from 2026-09-23T15:00:00Z') as string,
    });
    expect(refused.error()['next_command']).toContain('svc payouts batch');
    expect(old.asked).toHaveLength(2);
    expect(await here.shaky.ledger()).toEqual(ONCE);
    expect((await svc('events sync', { transport: old.transport })).failure()).toBe('13 feed_unreadable');
  });

  it.each<[string, number, Told, boolean]>([
    ['ten minutes old', 9 * MINUTE_MS, (kept) => kept, false],
    ['a second older', 9 * MINUTE_MS + 1000, (kept) => kept, true],
    ['young, and 60 seconds on its way', 0, (kept) => withHeader(kept, 'Age', '60'), false],
    ['young, and longer on its way', 0, (kept) => withHeader(kept, 'Age', '61'), true],
    ['young, and says nonsense of its way', 0, (kept) => withHeader(kept, 'Age', 'x'), true],
    ['of no time', 60 * MINUTE_MS, (kept) => withHeader(kept, 'Date'), false],
  ])('%s', async (_what, passedMs, told, isOld) => {
    const copy = cache(() => 'the feed', told);
    await paidElsewhere(copy, passedMs);
    const after = await again(copy);
    if (isOld) expect(after.failure()).toBe('13 feed_unreadable');
    else expect(after.exitCode, after.stderr).not.toBe(13);
    expect(await here.shaky.ledger()).toEqual(ONCE);
  });

  it('is held against nothing where the service never says what time it is', async () => {
    const old = cache(() => 'the feed');
    const undated: Transport = async (request, options) => {
      const answer = await old.transport(request, options);
      return new URL(request.url).pathname.endsWith('/v2/events') ? answer : withHeader(answer, 'Date');
    };
    const silent = { ...old, transport: undated };
    await paidElsewhere(silent, 60 * MINUTE_MS);
    expect((await again(silent)).exitCode).not.toBe(13);
  });
});
