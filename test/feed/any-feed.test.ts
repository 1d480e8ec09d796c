/** Events show up to 40 hours late, out of order and more than once. A reading that reaches the end leaves the mirror equal to the feed. */
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { KnownOperation } from '../../src/contract/operation-facts.js';
import type { Mirror } from '../../src/storage/mirror/mirror.js';
import { syncMirror, type PagesFrom } from '../../src/feed/sync.js';
import { eventText, HOUR_MS, known, mirrorFile, mirrorsAt, pageOf, PLACE, START_MS, uuid } from './given.js';
import { rounds } from '../support/rounds.js';

const STOPPED = new Error('stopped');
const END = 200;

const happening = fc.record({
  atHour: fc.nat(END),
  lateHours: fc.oneof(fc.constant(0), fc.nat(40)),
  offHours: fc.integer({ min: -4, max: 4 }),
  againHours: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.nat(3)),
});
type Happening = typeof happening extends fc.Arbitrary<infer One> ? One : never;

const sync = fc.record({
  ...{ kind: fc.constant('sync' as const), hour: fc.nat(END), hasDate: fc.boolean() },
  perPage: fc.integer({ min: 1, max: 6 }),
  stopBefore: fc.oneof(fc.constant(null), fc.nat(12)),
});
type Sync = typeof sync extends fc.Arbitrary<infer One> ? One : never;

const step = fc.oneof(
  { weight: 8, arbitrary: sync },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('backup' as const, 'restore' as const) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'lose' as const }) },
);

function feedAt(happenings: readonly Happening[], hour: number): { key: string; text: string }[] {
  return happenings
    .flatMap(({ atHour, lateHours, offHours, againHours }, number) => {
      if (atHour + lateHours > hour) return [];
      const text = eventText({ number, atMs: START_MS + atHour * HOUR_MS });
      const places = againHours === null ? [0] : [0, againHours];
      return places.map((more, copy) => ({ key: keyOf(atHour + offHours + more, number, copy), text }));
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

function keyOf(...parts: readonly number[]): string {
  return parts.map((part) => String(part + 100).padStart(6, '0')).join('-');
}

function pagesOf(
  feed: readonly { key: string; text: string }[],
  { hour, perPage, hasDate, stopBefore }: Sync,
): PagesFrom {
  const pages = Math.ceil(feed.length / perPage) + 1;
  const stopAfter = stopBefore === null ? null : Math.max(0, pages - 1 - stopBefore);
  let handed = 0;
  return async function* (from) {
    for (let cursor = from; ;) {
      await Promise.resolve();
      if (handed === stopAfter) throw STOPPED;
      const behind = cursor;
      const part = feed.filter(({ key }) => behind === null || key > behind).slice(0, perPage);
      const next = part.at(-1)?.key ?? cursor;
      const texts = part.map(({ text }) => text);
      const page = pageOf(texts, next);
      yield { page: { ...page, answeredAtMs: hasDate ? START_MS + hour * HOUR_MS : null }, next };
      handed += 1;
      if (part.length === 0) return;
      cursor = next;
    }
  };
}

const stored = (one: KnownOperation): KnownOperation => ({ ...one, country: null, failureMessage: null });

async function expectEqual(mirror: Mirror, feed: readonly { text: string }[], count: number): Promise<void> {
  const expected = new Map(known(...feed.map(({ text }) => text)).map((one) => [one.id, stored(one)]));
  const ids = Array.from({ length: count }, (_, number) => uuid(number));
  expect(new Map(await mirror.ofIds(ids))).toEqual(expected);
  expect(await mirror.size()).toBe(expected.size);
  const references = Array.from({ length: 7 }, (_, at) => `emp-${at}`);
  const found = [...(await mirror.ofReferences('payout', references)).values()].flat();
  expect(found.map(({ id }) => id).sort()).toEqual([...expected.keys()].sort());
  const newestMs = Math.max(...[...expected.values()].map(({ occurredAtMs }) => occurredAtMs));
  expect((await mirror.newest())?.occurredAtMs ?? -Infinity).toBe(newestMs);
}

it('a reading that ends leaves the mirror equal to the feed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(happening, { maxLength: 60 }),
      fc.array(step, { maxLength: 8 }),
      async (happenings, steps) => {
        const file = mirrorFile();
        const saved = `${file}.saved`;
        const hours = steps.map((one) => (one.kind === 'sync' ? one.hour : 0)).sort((a, b) => a - b);
        const last: Sync = { kind: 'sync', hour: END + 40, perPage: 4, hasDate: true, stopBefore: null };
        for (const [at, one] of [...steps, last].entries()) {
          if (one.kind !== 'sync') {
            if (one.kind === 'backup' && existsSync(file)) copyFileSync(file, saved);
            if (one.kind !== 'backup')
              for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
            if (one.kind === 'restore' && existsSync(saved)) copyFileSync(saved, file);
            continue;
          }
          const now = one === last ? last : { ...one, hour: hours[at] ?? 0 };
          const mirrors = mirrorsAt(file, 3);
          const mirror = mirrors.of(await mirrors.begin(PLACE));
          const feed = feedAt(happenings, now.hour);
          try {
            await syncMirror(mirror, pagesOf(feed, now), { read: null });
            await expectEqual(mirror, feed, happenings.length);
          } catch (error) {
            if (error !== STOPPED) throw error;
          } finally {
            await mirrors.close();
          }
        }
      },
    ),
    { numRuns: rounds(120) },
  );
}, 120_000);
