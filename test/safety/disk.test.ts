import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  digest,
  DiskHistory,
  materialise,
  snapshot,
  type Entry,
  type Fate,
} from '../../scripts/safety/disk.js';
import type { SystemCall, What } from '../../scripts/safety/trace.js';
import { fractions } from '../support/seeded.js';
import { testFolder } from '../support/test-folder.js';

const inOrder = (...whats: readonly What[]): SystemCall[] =>
  whats.map((what, index) => ({ ...what, at: index, entry: index, exit: index }));

const create = (path: string): What => ({ kind: 'create', path });
const mkdir = (path: string): What => ({ kind: 'mkdir', path });
const unlink = (path: string): What => ({ kind: 'unlink', path });
const sync = (path: string): What => ({ kind: 'sync', path });
const rename = (path: string, to: string): What => ({ kind: 'rename', path, to });
const cut = (path: string, size: number): What => ({ kind: 'truncate', path, size });
const write = (path: string, data: string, off: number | null = null): What => ({
  ...{ kind: 'write', path, off, data: Buffer.from(data) },
});
const was = (path: string, data: string): Entry => ({ path, data: Buffer.from(data) });

const shown = (entries: readonly Entry[]): string =>
  entries
    .map(({ path, data }) =>
      data === null ? `${path}/` : `${path}=${data.toString('latin1').replaceAll('\0', '.')}`,
    )
    .toSorted()
    .join(' ');

function states(history: DiskHistory, index: number, fate: Partial<Fate> = {}, samples = 300): string[] {
  const random = fractions(7);
  const found = Array.from({ length: samples }, () =>
    shown(history.sample(index, { random, mode: 'strict', kept: 0.5, grain: 1, ...fate })),
  );
  return [...new Set(found)].toSorted();
}

function left(before: readonly Entry[], whats: readonly What[], fate: Partial<Fate> = {}): string[] {
  return states(new DiskHistory(before, inOrder(...whats)), whats.length - 1, fate);
}

const ORDERED = { mode: 'ordered' } as const;

describe('data', () => {
  it('is there in any version that the page had since the sync', () => {
    const whats = [write('f', 'b', 0), sync('f'), write('f', 'c', 0), write('f', 'd', 0)];
    expect(left([was('f', 'a')], whats)).toEqual(['f=b', 'f=c', 'f=d']);
  });

  it('leaves a write open that had not ended when the sync began', () => {
    const calls: SystemCall[] = [
      { ...write('f', 'b', 0), at: 0, entry: 0, exit: 1.5 },
      { ...sync('f'), at: 1, entry: 1, exit: 1 },
    ];
    expect(states(new DiskHistory([was('f', 'a')], calls), 1)).toEqual(['f=a', 'f=b']);
  });

  it('is one for all names that a file had', () => {
    const whats = [create('t'), write('t', 'new'), sync('t'), rename('t', 'f'), sync('')];
    expect(left([was('f', 'old')], whats)).toEqual(['f=new']);
  });

  it('is anything in shared memory, whatever was synced', () => {
    const history = new DiskHistory([was('a-shm', 'x')], inOrder(write('a-shm', 'y', 0), sync('a-shm')));
    const random = fractions(3);
    const whole = { random, mode: 'strict', kept: 1, grain: 4096 } as const;
    const samples = Array.from({ length: 60 }, () => history.sample(1, whole)[0]?.data ?? Buffer.alloc(1));
    expect(new Set(samples.map((data) => data.length))).toEqual(new Set([0, 32_768]));
    expect(samples.some((data) => data.length > 0 && data.every((byte) => byte === 0))).toBe(true);
    expect(samples.some((data) => data.some((byte) => byte !== 0))).toBe(true);
  });
});

describe('names in strict', () => {
  it('loses a file whose folder has a name that was not synced, however often the file was', () => {
    const whats = [mkdir('d'), create('d/f'), write('d/f', 'x'), sync('d/f'), sync('d'), sync('d/f')];
    expect(left([], whats)).toEqual(['', 'd/ d/f=x']);
    expect(left([], whats, { kept: 0 })).toEqual(['']);
    expect(left([], [...whats, sync('')])).toEqual(['d/ d/f=x']);
    expect(left([], [mkdir('d'), sync(''), create('d/f'), sync('d/f')], { kept: 0 })).toEqual(['d/']);
  });

  it('renames at once across folders, both of which have a part in it', () => {
    const apart = [was('t', 'new'), { path: 'd', data: null }];
    expect(left(apart, [rename('t', 'd/f')])).toEqual(['d/ d/f=new', 'd/ t=new']);
    expect(left(apart, [rename('t', 'd/f'), sync('d')], { kept: 0 })).toEqual(['d/ t=new']);
    expect(left(apart, [rename('t', 'd/f'), sync('d'), sync('')], { kept: 0 })).toEqual(['d/ d/f=new']);
  });

  it('moves a folder with what is in it', () => {
    const before = [{ path: 'd', data: null }, was('d/f', 'x')];
    expect(left(before, [rename('d', 'e'), write('e/f', 'y', 0), sync('e/f')])).toEqual([
      'd/ d/f=y',
      'e/ e/f=y',
    ]);
  });
});

describe('names in ordered', () => {
  it('holds every earlier name once anything was synced', () => {
    const whats = [mkdir('d'), create('d/f'), create('g'), sync('g'), create('h')];
    expect(left([], whats, ORDERED)).toEqual(['d/ d/f= g=', 'd/ d/f= g= h=']);
  });

  it('says nothing of data that a sync of another file covered', () => {
    const whats = [create('a'), write('a', 'x'), create('b'), sync('b')];
    expect(left([], whats, { ...ORDERED, kept: 0 })).toEqual(['a= b=']);
  });
});

describe('how much is kept', () => {
  const whats = [
    ...[mkdir('d'), create('d/t'), write('d/t', 'abc'), sync('d/t'), rename('d/t', 'd/f'), sync('d')],
    ...[write('d/f', 'Z', 1), create('g'), write('g', 'gg'), cut('g', 1), unlink('old')],
  ];
  const before = [was('old', 'o')];

  it.each(['strict', 'ordered'] as const)('with 1 is all of it, in %s', (mode) => {
    expect(left(before, whats, { mode, kept: 1 })).toEqual(['d/ d/f=aZc g=g']);
  });

  it('with 0 is what is durable, and nothing of it by chance', () => {
    expect(left(before, whats, { kept: 0 })).toEqual(['old=o']);
    expect(left(before, whats, { ...ORDERED, kept: 0 })).toEqual(['d/ d/f=abc old=o']);
    expect(left(before, [...whats, sync('')], { kept: 0 })).toEqual(['d/ d/f=abc g=']);
  });

  it('is nothing before the first call, and of each moment only what had begun', () => {
    const history = new DiskHistory(before, inOrder(...whats));
    expect(states(history, -1, { kept: 1 })).toEqual(['old=o']);
    expect(states(history, 3, { kept: 1 })).toEqual(['d/ d/t=abc old=o']);
    expect(states(history, 3, { kept: 0 })).toEqual(['old=o']);
  });

  it('is the same for the same seed', () => {
    const history = new DiskHistory(before, inOrder(...whats));
    expect(states(history, 10, {}, 20)).toEqual(states(history, 10, {}, 20));
  });
});

describe('a sync that is taken for absent', () => {
  const whats = [create('f'), write('f', 'x'), sync('f'), sync('')];
  const without = (site: string): Partial<Fate> => ({ kept: 0, ignored: (name) => name === site });

  it('covers nothing, and the others go on covering', () => {
    expect(left([], whats, { kept: 0 })).toEqual(['f=x']);
    expect(left([], whats, without('file f #1'))).toEqual(['f=']);
    expect(left([], whats, without('folder home after create f #1'))).toEqual(['']);
    expect(left([], whats, { ...without('folder home after create f #1'), ...ORDERED })).toEqual(['f=x']);
    expect(left([], whats, { ...ORDERED, kept: 0, ignored: () => true })).toEqual(['']);
  });
});

describe('a recording that cannot be', () => {
  it.each([
    ['write of f', write('f', 'x')],
    ['no folder for d/f', create('d/f')],
    ['sync of f', sync('f')],
  ])('says %s', (what, call) => expect(() => new DiskHistory([], inOrder(call))).toThrow(what));
});

describe('a folder of this machine', () => {
  it('holds what was made of it, byte by byte', () => {
    const root = join(testFolder(), 'home');
    const entries = [was('a', 'x'), { path: 'd', data: null }, was('d/f', '\0y'), { path: 'e', data: null }];
    materialise([was('gone', 'x')], root);
    materialise(entries, root);
    expect(shown(snapshot(root))).toBe(shown(entries));
    expect(digest(snapshot(root))).toBe(digest(entries));
  });

  it('has another digest for another name, size or byte, and the same for other shared memory', () => {
    const all = [
      [was('a', 'x')],
      [was('b', 'x')],
      [was('a', 'y')],
      [was('a', 'xx')],
      [{ path: 'a', data: null }],
      [],
    ];
    expect(new Set(all.map((entries) => digest(entries))).size).toBe(all.length);
    expect(digest([was('a', 'x'), was('a-shm', 'y')])).toBe(digest([was('a', 'x')]));
  });
});
