/** What is found in a mirror: everything, block by block. */
import { describe, expect, it } from 'vitest';
import type { Mirror } from '../../../src/mirror/mirror.js';
import { known, eventText, eventsOf, PLACE, uuid } from '../given.js';
import { mirrorEngines } from '../engines.js';

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
    // Told again, and only the tail of it.
    await take(mirror, ...eventsOf(Math.min(count, 30), Math.max(0, count - 30)));
    const ids = await idsOf(mirror);
    expect([...ids].sort()).toEqual(Array.from({ length: count }, (_, number) => uuid(number)).sort());
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
        await mirror.beginAnew(await mirror.reading());
        await take(mirror, ...eventsOf(2500, 5000));
      }
    };
    await expect(walk()).rejects.toMatchObject({ exitCode: 16, facts: { code: 'mirror_begun_anew' } });
  });
});
