import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Mirror } from '../../../src/storage/mirror/mirror.js';
import { known, eventText, eventsOf, mirrorFile, mirrorsAt, uuid } from '../../feed/given.js';
import { HOUR_MS, PLACE, START_MS } from '../../feed/given.js';
import { mirrorEngines } from '../../feed/engines.js';

const ENGINES = await mirrorEngines();

async function take(mirror: Mirror, ...events: readonly string[]): Promise<void> {
  expect(await mirror.commit(known(...events), await mirror.reading())).toBe(true);
}

async function idsOf(mirror: Mirror): Promise<string[]> {
  const ids: string[] = [];
  for await (const block of mirror.blocks()) {
    expect(block.length).toBeGreaterThan(0);
    expect(block.length).toBeLessThanOrEqual(1000);
    ids.push(...block.map(({ id }) => id));
  }
  return ids;
}

describe.each(ENGINES)('all of a mirror %s', (_name, { freshMirror, mirrorsAt }) => {
  it.each([0, 1, 1000, 2000, 2345])('of %i operations has each once', async (count) => {
    const { mirror } = await freshMirror();
    await take(mirror, ...eventsOf(count));
    await take(mirror, ...eventsOf(Math.min(count, 30), Math.max(0, count - 30)));
    const ids = await idsOf(mirror);
    expect([...ids].sort()).toEqual(Array.from({ length: count }, (_, number) => uuid(number)).sort());
  });

  it('has of an operation that is told of twice at once what counts', async () => {
    const { mirror } = await freshMirror();
    const late = { number: 1, type: 'payout.failed', eventId: uuid(1, 6), data: { status: 'failed' } };
    await take(mirror, eventText({ number: 1 }), eventText(late));
    expect((await mirror.newest())?.status).toBe('confirmed');
  });

  it('is of one company', async () => {
    const mirrors = await mirrorsAt();
    const [one, two] = [await mirrors.begin(PLACE), await mirrors.begin({ ...PLACE, keyPrint: 'another' })];
    await take(mirrors.of(one), ...eventsOf(5));
    await take(mirrors.of(two), ...eventsOf(3, 10));
    expect((await idsOf(mirrors.of(two))).sort()).toEqual([10, 11, 12].map((number) => uuid(number)));
    expect(await idsOf(mirrors.of({ id: uuid(7), environment: 'live' }))).toEqual([]);
  });

  it('takes in what is told meanwhile, and has nothing twice', async () => {
    const { mirror } = await freshMirror();
    await take(mirror, ...eventsOf(1500));
    const ids: string[] = [];
    for await (const block of mirror.blocks()) {
      ids.push(...block.map(({ id }) => id));
      await take(mirror, ...eventsOf(20, 1490), eventText({ number: 3, data: { reference: 'new' } }));
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(1500);
  });

  it('that is begun anew meanwhile is no mixture of two', async () => {
    const { mirror } = await freshMirror();
    await take(mirror, ...eventsOf(2500));
    const walk = async (): Promise<void> => {
      for await (const block of mirror.blocks()) {
        expect(block).toHaveLength(1000);
        await mirror.reset(await mirror.reading());
        await take(mirror, ...eventsOf(2500, 5000));
      }
    };
    await expect(walk()).rejects.toMatchObject({ exitCode: 16, facts: { code: 'mirror_begun_anew' } });
  });
});

const idsIn = (operations: readonly { readonly id: string }[]): string[] => operations.map(({ id }) => id);
const numbers = (...of: readonly number[]): string[] => of.map((number) => uuid(number));

describe.each(ENGINES)('what was last %s', (_name, { freshMirror }) => {
  it('comes first, by when it occurred and not by when it was told', async () => {
    const { mirror } = await freshMirror();
    await take(mirror, ...eventsOf(5, 10), ...eventsOf(5), ...eventsOf(1, 12));
    expect(idsIn(await mirror.list({}, 3))).toEqual(numbers(14, 13, 12));
    expect(idsIn(await mirror.list({}, 99))).toEqual(numbers(14, 13, 12, 11, 10, 4, 3, 2, 1, 0));
    await take(mirror, ...eventsOf(2, 5));
    expect((await mirror.newest())?.id).toBe(uuid(14));
    expect(await mirror.heardAtMs()).toBe(START_MS + 14 * HOUR_MS);
  });

  it('may be filtered by all that is asked, both ends of a time included', async () => {
    const { mirror } = await freshMirror();
    const payin = { data: { type: 'payin', method: 'debit_otp' }, type: 'payin.confirmed' };
    await take(mirror, ...eventsOf(10), eventText({ number: 11, ...payin }));
    const [sinceMs, untilMs] = [START_MS + 3 * HOUR_MS, START_MS + 5 * HOUR_MS];
    expect(idsIn(await mirror.list({ sinceMs, untilMs }, 9))).toEqual(numbers(5, 4, 3));
    expect(idsIn(await mirror.list({ status: 'failed' }, 9))).toEqual(numbers(9, 4));
    expect(idsIn(await mirror.list({ status: 'failed', untilMs }, 9))).toEqual(numbers(4));
    expect(idsIn(await mirror.list({ direction: 'payin' }, 9))).toEqual(numbers(11));
    expect(idsIn(await mirror.list({ method: 'debit_otp', direction: 'payout' }, 9))).toEqual([]);
    expect(await mirror.list({ status: "'; --" }, 9)).toEqual([]);
    await take(mirror, eventText({ number: 20, data: { method: undefined } }));
    expect(idsIn(await mirror.list({}, 1))).toEqual(numbers(20));
  });
});

describe.each(ENGINES)('the start of an id and a bank reference %s', (_name, { freshMirror, mirrorsAt }) => {
  it('find what has them, in either case, and no more than is asked for', async () => {
    const { mirror } = await freshMirror();
    const id = uuid(7).replace('6f1c', '6f1d');
    const other = eventText({ number: 7, data: { id, bank_reference: 'Ab%_7' } });
    await take(mirror, ...eventsOf(5), other);
    expect(idsIn(await mirror.ofBeginning('6F1D2a', 9))).toEqual([id]);
    expect((await mirror.ofBeginning('6f1c2a', 9)).length).toBe(5);
    expect((await mirror.ofBeginning('6f1c2a9e-3b4d', 2)).length).toBe(2);
    expect(idsIn(await mirror.ofBeginning(uuid(3).slice(0, 35), 9))).toEqual(numbers(0, 1, 2, 3, 4));
    expect(idsIn(await mirror.ofBeginning(uuid(3), 9))).toEqual(numbers(3));
    for (const none of ['6f1c2b', '6f1c2a%', "6f1c2a'", '6f1c2a9e-3b4e'])
      expect(await mirror.ofBeginning(none, 9)).toEqual([]);
    expect(await mirror.ofBankReference('aB%_7', 9)).toMatchObject([{ bankReference: 'Ab%_7' }]);
    expect(await mirror.ofBankReference('Ab%%7', 9)).toEqual([]);
    expect(idsIn(await mirror.ofBankReference('00000002', 9))).toEqual(numbers(2));
  });

  it('may be of any length, and hold anything', async () => {
    const { mirror } = await freshMirror();
    const texts = ['x'.repeat(9000), `${'x'.repeat(8999)}y`, 'ñandú 😀', '\u0001"'];
    const events = texts.map((text, number) => eventText({ number, data: { bank_reference: text } }));
    await take(mirror, ...events);
    for (const [number, text] of texts.entries())
      expect(idsIn(await mirror.ofBankReference(text, 9))).toEqual(numbers(number));
    const ids = ['x'.repeat(9000), `${'x'.repeat(8998)}y`];
    await take(mirror, ...ids.map((id, at) => eventText({ number: 9 + at, data: { id } })));
    expect((await mirror.ofBeginning('x'.repeat(50), 9)).length).toBe(2);
    expect((await mirror.ofBeginning('x'.repeat(8999), 9)).length).toBe(1);
  });

  it('are those of one company', async () => {
    const mirrors = await mirrorsAt();
    const [one, two] = [await mirrors.begin(PLACE), await mirrors.begin({ ...PLACE, keyPrint: 'another' })];
    await take(mirrors.of(one), ...eventsOf(3));
    await take(mirrors.of(two), ...eventsOf(3, 1));
    expect((await mirrors.of(one).ofBeginning('6f1c2a', 9)).length).toBe(3);
    expect(idsIn(await mirrors.of(two).ofBankReference('00000003', 9))).toEqual(numbers(3));
    expect(await mirrors.of(one).ofBankReference('00000003', 9)).toEqual([]);
    expect(idsIn(await mirrors.of(one).list({}, 9))).toEqual(numbers(2, 1, 0));
    await mirrors.of(two).reset(await mirrors.of(two).reading());
    expect(await mirrors.of(two).list({}, 9)).toEqual([]);
    expect((await mirrors.of(one).ofBeginning('6f1c2a', 9)).length).toBe(3);
  });

  it('are what is said of an operation now, whenever it was looked for', async () => {
    const { mirror } = await freshMirror();
    await take(mirror, ...eventsOf(4));
    expect(idsIn(await mirror.list({}, 1))).toEqual(numbers(3));
    await take(
      mirror,
      eventText({ number: 1, atMs: START_MS + 9 * HOUR_MS, data: { bank_reference: 'new' } }),
    );
    expect(idsIn(await mirror.ofBankReference('new', 9))).toEqual(numbers(1));
    expect(await mirror.ofBankReference('00000001', 9)).toEqual([]);
    expect(idsIn(await mirror.list({}, 9))).toEqual(numbers(1, 3, 2, 0));
    await take(mirror, eventText({ number: 1, data: { bank_reference: null } }));
    expect(await mirror.ofBankReference('new', 9)).toEqual([]);
    expect(idsIn(await mirror.list({}, 9))).toEqual(numbers(3, 2, 1, 0));
  });

  it('are what is said now of the last one that was there when somebody looked', async () => {
    const { mirror } = await freshMirror();
    await take(mirror, ...eventsOf(4));
    expect(idsIn(await mirror.list({}, 1))).toEqual(numbers(3));
    const now = { atMs: START_MS - 9 * HOUR_MS, data: { bank_reference: 'new' } };
    await take(mirror, eventText({ number: 3, ...now }));
    expect(idsIn(await mirror.ofBankReference('new', 9))).toEqual(numbers(3));
    expect(await mirror.ofBankReference('00000003', 9)).toEqual([]);
    expect(idsIn(await mirror.list({}, 9))).toEqual(numbers(2, 1, 0, 3));
  });

  it('are each there once, however often somebody looks while more are told', async () => {
    const { mirror } = await freshMirror();
    for (const begun of [0, 1, 2, 3]) {
      await take(mirror, ...eventsOf(1, begun));
      const all = numbers(...Array.from({ length: begun + 1 }, (_, at) => at));
      expect(idsIn(await mirror.list({}, 9)).sort()).toEqual(all);
      expect(idsIn(await mirror.ofBeginning('6f1c2a', 9)).sort()).toEqual(all);
      const last = await mirror.ofBankReference(String(begun).padStart(8, '0'), 9);
      expect(idsIn(last)).toEqual(numbers(begun));
    }
  });
});

it('what people look for is indexed by whoever looks, and again where rows have gone', async () => {
  const file = mirrorFile();
  const mirrors = mirrorsAt(file);
  const [one, two] = [await mirrors.begin(PLACE), await mirrors.begin({ ...PLACE, keyPrint: 'another' })];
  const [first, second] = [mirrors.of(one), mirrors.of(two)];
  await take(first, ...eventsOf(9));
  await take(second, ...eventsOf(9, 20));
  const db = new DatabaseSync(file);
  const count = (table: string) => db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'];
  const counts = () => ['beginnings', 'banks', 'times'].map(count);
  expect(await first.size()).toBe(9);
  expect(counts()).toEqual([0, 0, 0]);
  await first.list({}, 1);
  expect(counts()).toEqual([18, 16, 18]);
  await second.reset(await second.reading());
  expect(counts()).toEqual([9, 8, 9]);
  await take(second, ...eventsOf(5, 50));
  expect(idsIn(await second.list({}, 99))).toEqual(numbers(54, 53, 52, 51, 50));
  expect(idsIn(await second.ofBankReference('00000052', 9))).toEqual(numbers(52));
  expect(counts()).toEqual([14, 12, 14]);
  db.close();
  await mirrors.close();
});
