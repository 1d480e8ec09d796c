import { describe, expect, it } from 'vitest';
import type { StoredPayment, KnownOperation, OperationFacts } from '../../src/contract/operation-facts.js';
import { NO_FACTS } from '../../src/contract/operation-facts.js';
import type { Mirror } from '../../src/storage/mirror/mirror.js';
import { proveMirror, type ProvedMirror } from '../../src/feed/proved.js';
import { settled } from './manual-clock.js';
import { known, eventText, uuid } from './given.js';

const told = (...numbers: readonly number[]): KnownOperation[] =>
  known(...numbers.map((number) => eventText({ number })));

function given(operations: readonly KnownOperation[], said: Readonly<Record<string, OperationFacts | null>>) {
  const mirror: Pick<Mirror, 'ofReferences' | 'ofIds'> = {
    ofReferences: (_direction, folded) => {
      const of = (one: string) => operations.filter(({ reference }) => reference === one);
      return Promise.resolve(new Map(folded.map((one) => [one, of(one)])));
    },
    ofIds: (ids) => {
      const there = operations.filter(({ id }) => ids.includes(id));
      return Promise.resolve(new Map(there.map((one) => [one.id, one])));
    },
  };
  const [asked, ignored]: [string[], string[]] = [[], []];
  const seen = { now: 0, most: 0 };
  const proving = {
    concurrency: 2,
    read: async (id: string) => {
      asked.push(id);
      seen.now += 1;
      seen.most = Math.max(seen.most, seen.now);
      await Promise.resolve();
      seen.now -= 1;
      const claims = said[id];
      if (claims === undefined) throw new Error(`${id} cannot be read`);
      return claims;
    },
    onIgnored: ({ id }: KnownOperation, why: string) => {
      ignored.push(`${id} ${why}`);
      return Promise.resolve();
    },
  };
  return { mirror, asked, ignored, seen, shared: (max?: number) => proveMirror(mirror, proving, max) };
}

const saidOf = (one: KnownOperation): OperationFacts & { id: string } => ({
  ...{ ...NO_FACTS, id: one.id, status: one.status, code: one.code, direction: one.direction },
  ...{ reference: one.reference, amount: one.amount, currency: one.currency, createdAtMs: one.createdAtMs },
});
const truth = (operations: readonly KnownOperation[]) =>
  Object.fromEntries(operations.map((one) => [one.id, saidOf(one)]));
const of = async (mirror: ProvedMirror, reference: string, held: readonly StoredPayment[] = []) =>
  (await mirror.ofReferences('payout', [reference], new Map([[reference, held]]))).get(reference);

describe('a mirror that others can write in', () => {
  const operations = told(0, 7, 4);
  const [first, second, failed] = operations as [KnownOperation, KnownOperation, KnownOperation];

  it('says what the service says, which is asked once', async () => {
    const now = { ...truth(operations), [first.id]: { ...saidOf(first), status: 'pending', amount: '9.00' } };
    const { shared, asked, ignored } = given(operations, now);
    const mirror = shared();
    for (let time = 0; time < 2; time += 1) {
      expect(await of(mirror, 'emp-0')).toMatchObject([
        { id: first.id, status: 'pending', amount: '9.00' },
        { id: second.id, status: 'confirmed' },
      ]);
      expect((await mirror.ofIds([first.id])).get(first.id)).toMatchObject({ status: 'pending' });
    }
    expect(asked).toEqual([first.id, second.id]);
    expect(ignored).toEqual([]);
  });

  it.each<[string, Partial<OperationFacts> | null, string]>([
    ['there is none', null, 'the service has no operation with that id'],
    ['it has another reference', { reference: 'emp-1' }, 'the service says it has another reference'],
    ['it has no reference', { reference: null }, 'the service says it has another reference'],
    ['it is a pay-in', { direction: 'payin' }, 'the service says it is a payin'],
  ])('says nothing where %s, and that is told once', async (_name, changes, why) => {
    const said = changes && { ...saidOf(first), ...changes };
    const { shared, ignored, asked } = given([first], { [first.id]: said });
    const mirror = shared();
    for (let time = 0; time < 2; time += 1) {
      expect(await of(mirror, 'emp-0')).toEqual([]);
      expect((await mirror.ofIds([first.id])).size).toBe(0);
    }
    expect(ignored).toEqual([`${first.id} ${why}`]);
    expect(asked).toEqual([first.id]);
  });

  it('says nothing of the reference that a row was put under, where that is not its own', async () => {
    const { mirror, shared, ignored } = given([], truth([first]));
    mirror.ofReferences = () => Promise.resolve(new Map([['emp-3', [first]]]));
    expect(await of(shared(), 'emp-3')).toEqual([]);
    expect(ignored).toHaveLength(1);
  });

  it('ends, and asks for nothing more, once one of several at a time could not be read', async () => {
    const many = told(0, 7, 14, 21, 28, 35);
    const { shared, asked } = given(many, truth(many.slice(1)));
    await expect(of(shared(), 'emp-0')).rejects.toThrow('cannot be read');
    await settled();
    expect(asked.length).toBeLessThan(many.length);
  });

  it('asks for so many at a time, and no more', async () => {
    const many = told(0, 7, 21, 28, 35);
    const { shared, seen, asked } = given(many, truth(many));
    expect(await of(shared(), 'emp-0')).toHaveLength(5);
    expect([seen.most, asked.length]).toEqual([2, 5]);
  });

  const held = (operation: KnownOperation): StoredPayment => ({
    ...{ operation: operation.id, status: operation.status, operationAtMs: operation.createdAtMs },
    ...{ amount: operation.amount ?? '', currency: 'VES' },
  });

  it.each([first, failed])('needs no proof of what the books hold as well: $status', async (operation) => {
    const { shared, asked } = given([operation], {});
    const mirror = shared();
    const reference = operation.reference ?? '';
    expect(await of(mirror, reference, [held(operation)])).toMatchObject([{ status: operation.status }]);
    expect(await of(mirror, reference)).toHaveLength(1);
    expect(asked).toEqual([]);
  });

  it.each<[string, Partial<StoredPayment>]>([
    ['another status', { status: 'failed' }],
    ['another amount', { amount: '9.00' }],
    ['another currency', { currency: 'USD' }],
    ['another time', { operationAtMs: 1 }],
    ['another operation', { operation: uuid(9) }],
    ['no operation', { operation: null }],
  ])('is proved where the books hold %s', async (_name, changes) => {
    const { shared, asked } = given([first], truth([first]));
    expect(await of(shared(), 'emp-0', [{ ...held(first), ...changes }])).toHaveLength(1);
    expect(asked).toEqual([first.id]);
  });

  it('is proved where the books hold it of another reference, and where both call it pending', async () => {
    const pending = { ...first, status: 'pending' };
    const { shared, asked } = given([pending], truth([first]));
    const elsewhere = new Map([['emp-1', [held(first)]]]);
    await shared().ofReferences('payout', ['emp-0', 'emp-1'], elsewhere);
    await of(shared(), 'emp-0', [held(pending)]);
    expect(asked).toEqual([first.id, first.id]);
  });

  it('reads what was pending, or absent, once more where that is asked for', async () => {
    const now = { ...truth([failed]), [first.id]: { ...saidOf(first), status: 'pending' } };
    const { shared, asked } = given([first, second, failed], { ...now, [second.id]: null });
    const mirror = shared();
    const ask = () => mirror.ofReferences('payout', ['emp-0', 'emp-4']);
    await ask();
    mirror.forgetPending();
    await ask();
    expect(asked).toEqual([first.id, second.id, failed.id, first.id, second.id]);
  });

  it('remembers so many reads, and asks again for what is older', async () => {
    const { shared, asked } = given([first, failed], truth([first, failed]));
    const mirror = shared(1);
    for (const reference of ['emp-0', 'emp-4', 'emp-4', 'emp-0']) await of(mirror, reference);
    expect(asked).toEqual([first.id, failed.id, first.id]);
  });

  it('lets an id that cannot be asked about stand in the way, and no more', async () => {
    const { shared, asked } = given([{ ...first, id: 'no-uuid' }], {});
    const [claims] = (await of(shared(), 'emp-0')) ?? [];
    expect(claims).toMatchObject({ id: 'no-uuid', status: 'unproved' });
    expect([claims?.amount, claims?.currency, claims?.createdAtMs]).toEqual([null, null, null]);
    expect(asked).toEqual([]);
  });
});

it('a machine’s own mirror is believed as it stands', async () => {
  const { mirror } = given(told(0), {});
  const own = proveMirror(mirror, null);
  expect(await of(own, 'emp-0')).toEqual(told(0));
  expect((await own.ofIds([uuid(0)])).size).toBe(1);
});
