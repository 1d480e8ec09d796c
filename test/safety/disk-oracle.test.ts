import { describe, expect, it } from 'vitest';
import { DiskHistory, type Mode } from '../../scripts/safety/disk.js';
import type { SystemCall, What } from '../../scripts/safety/trace.js';
import { fractions } from '../support/seeded.js';

const PAGE = 2;
const PAGES = [0, 1, 2];
const BYTES = PAGE * PAGES.length;
const SAMPLES = 250;
const FEW = 7;

const dice = (random: () => number, below: number): number => Math.floor(random() * below);

function timed(whats: readonly What[], random: () => number): SystemCall[] {
  return whats.map((what, index) => ({
    ...what,
    at: index,
    entry: index,
    exit: what.kind === 'sync' && random() < 0.5 ? index + dice(random, 4) + 0.5 : index,
  }));
}

const covered = (calls: readonly SystemCall[], now: number): number =>
  Math.max(0, ...calls.flatMap(({ kind, entry, exit }) => (kind === 'sync' && exit <= now ? [entry] : [])));

const product = (lists: readonly (readonly string[])[]): string[] =>
  lists.reduce<string[]>((all, list) => all.flatMap((head) => list.map((tail) => head + tail)), ['']);

function versionsOf(calls: readonly SystemCall[]): string[] {
  let text = 'abcd';
  const grown = (size: number): string => text.padEnd(size, '.');
  return [
    text,
    ...calls.map((call) => {
      if (call.kind === 'truncate') text = grown(call.size).slice(0, call.size);
      if (call.kind === 'write') {
        const off = call.off ?? text.length;
        const data = call.data.toString();
        text = grown(off).slice(0, off) + data + text.slice(off + data.length);
      }
      return text;
    }),
  ];
}

/** A cut may leave any size since the last sync, and in each page any content since then. */
function filesAllowed(calls: readonly SystemCall[], now: number): Set<string> {
  const versions = versionsOf(calls.slice(0, now + 1)).slice(covered(calls, now));
  const pages = PAGES.map((page) => [
    ...new Set(versions.map((text) => text.padEnd(BYTES, '.').slice(page * PAGE, (page + 1) * PAGE))),
  ]);
  const sizes = new Set(versions.map(({ length }) => length));
  return new Set(product(pages).flatMap((text) => [...sizes].map((size) => text.slice(0, size))));
}

function randomFile(random: () => number): SystemCall[] {
  const whats = Array.from({ length: 3 + dice(random, 6) }, (_, index): What => {
    const kind = random();
    if (kind < 0.25) return { kind: 'sync', path: 'f' };
    if (kind < 0.4) return { kind: 'truncate', path: 'f', size: dice(random, BYTES + 1) };
    const off = dice(random, BYTES);
    const data = String(index).repeat(1 + dice(random, BYTES - off));
    return { kind: 'write', path: 'f', off, data: Buffer.from(data) };
  });
  return timed(whats, random);
}

type Names = Readonly<Record<string, string>>;

const BEFORE: Names = { a: '1', b: '2', c: '3' };

function changed(names: Names, call: SystemCall): Names {
  if (call.kind === 'create') return { ...names, [call.path]: '' };
  if (call.kind !== 'unlink' && call.kind !== 'rename') return names;
  const { [call.path]: file, ...others } = names;
  return call.kind === 'rename' && file !== undefined ? { ...others, [call.to]: file } : others;
}

const named = (names: Names): string =>
  Object.entries(names)
    .map(([name, file]) => name + file)
    .toSorted()
    .join(' ');
const touched = (call: SystemCall): string[] => {
  if (call.kind === 'rename') return [call.path, call.to];
  return 'path' in call ? [call.path] : [];
};

function namesAllowed(calls: readonly SystemCall[], now: number, mode: Mode): Set<string> {
  const durable = covered(calls, now);
  const isChange = ({ kind }: SystemCall): boolean => kind !== 'sync';
  const sure = calls.slice(0, durable).filter(isChange);
  const open = calls.slice(durable, now + 1).filter(isChange);
  const parts = Array.from({ length: 2 ** open.length }, (_, mask) =>
    open.map((_one, at) => (mask & (1 << at)) > 0),
  );
  const allowed = parts.filter((kept) =>
    open.every(
      (one, at) =>
        kept[at] === false ||
        open.slice(0, at).every((before, place) => {
          const isBound = mode === 'ordered' || touched(one).some((name) => touched(before).includes(name));
          return !isBound || kept[place];
        }),
    ),
  );
  return new Set(
    allowed.map((kept) =>
      named([...sure, ...open.filter((_, at) => kept[at])].reduce<Names>(changed, BEFORE)),
    ),
  );
}

function randomNames(random: () => number): SystemCall[] {
  let names = BEFORE;
  const whats: What[] = [];
  const add = (what: What): void => {
    const index = whats.push(what) - 1;
    names = changed(names, { ...what, at: index, entry: index, exit: index });
  };
  while (whats.length < 9) {
    const path = ['a', 'b', 'c'][dice(random, 3)] ?? 'a';
    const to = ['a', 'b', 'c'].find((name) => name !== path && random() < 0.5) ?? 'd';
    const kind = random();
    if (kind < 0.2) add({ kind: 'sync', path: '' });
    else if (names[path] === undefined) add({ kind: 'create', path });
    else if (kind < 0.5) add({ kind: 'unlink', path });
    else add({ kind: 'rename', path, to });
  }
  return timed(whats, random);
}

function sampled<T>(random: () => number, take: (kept: number) => T): Set<T> {
  return new Set(
    Array.from({ length: SAMPLES }, (_, at) => take(at === 0 ? 0 : at === 1 ? 1 : 0.2 + 0.6 * random())),
  );
}

function isHeld(seed: number, found: ReadonlySet<string>, allowed: ReadonlySet<string>): boolean {
  expect(
    [...found].filter((text) => !allowed.has(text)),
    `seed ${String(seed)}`,
  ).toEqual([]);
  if (allowed.size > FEW) return false;
  expect(found, `seed ${String(seed)}`).toEqual(allowed);
  return true;
}

const SEEDS = Array.from({ length: 50 }, (_, seed) => seed);

describe('a file of three pages', () => {
  it('holds what may be held, at each moment of 50 histories, and all of it where that is little', () => {
    const whole = SEEDS.filter((seed) => {
      const random = fractions(seed);
      const calls = randomFile(random);
      const history = new DiskHistory([{ path: 'f', data: Buffer.from('abcd') }], calls);
      const now = dice(random, calls.length);
      const allowed = filesAllowed(calls, now);
      const found = sampled(random, (kept) => {
        const [entry] = history.sample(now, { random, mode: 'strict', kept, grain: PAGE });
        return entry?.data?.toString('latin1').replaceAll('\0', '.') ?? 'none';
      });
      return isHeld(seed, found, allowed);
    });
    expect(whole.length).toBeGreaterThan(20);
  });

  it('holds with nothing kept what the last sync covered, and with all kept what was written', () => {
    for (const seed of SEEDS) {
      const calls = randomFile(fractions(seed));
      const history = new DiskHistory([{ path: 'f', data: Buffer.from('abcd') }], calls);
      calls.forEach((_, now) => {
        const versions = versionsOf(calls.slice(0, now + 1));
        const [none, all] = [0, 1].map((kept) =>
          history
            .sample(now, { random: fractions(seed), mode: 'strict', kept, grain: PAGE })[0]
            ?.data?.toString('latin1')
            .replaceAll('\0', '.'),
        );
        expect([none, all], `seed ${String(seed)}`).toEqual([versions[covered(calls, now)], versions.at(-1)]);
      });
    }
  });
});

describe.each(['strict', 'ordered'] as const)('three names, %s', (mode) => {
  it('stand for what they may stand for, and for all of it where that is little', () => {
    const whole = SEEDS.filter((seed) => {
      const random = fractions(seed);
      const calls = randomNames(random);
      const history = new DiskHistory(
        Object.entries(BEFORE).map(([path, data]) => ({ path, data: Buffer.from(data) })),
        calls,
      );
      const now = dice(random, calls.length);
      const allowed = namesAllowed(calls, now, mode);
      const found = sampled(random, (kept) =>
        named(
          Object.fromEntries(
            history
              .sample(now, { random, mode, kept, grain: PAGE })
              .map(({ path, data }) => [path, data?.toString() ?? '']),
          ),
        ),
      );
      return isHeld(seed, found, allowed);
    });
    expect(whole.length).toBeGreaterThan(20);
  });
});
