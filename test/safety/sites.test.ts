import { describe, expect, it } from 'vitest';
import { DiskHistory } from '../../scripts/safety/disk.js';
import { nameOf, parentOf, siteOf } from '../../scripts/safety/sites.js';
import type { SystemCall, What } from '../../scripts/safety/trace.js';

const create = (path: string): What => ({ kind: 'create', path });
const mkdir = (path: string): What => ({ kind: 'mkdir', path });
const sync = (path: string): What => ({ kind: 'sync', path });
const write = (path: string): What => ({ kind: 'write', path, off: null, data: Buffer.from('x') });
const SENT: What = { kind: 'sent', key: 'k' };
const TOLD: What = { kind: 'told', text: 'x' };

function sites(...whats: readonly What[]): string[] {
  const calls: SystemCall[] = whats.map((what, index) => ({ ...what, at: index, entry: index, exit: index }));
  return new DiskHistory([], calls).syncs.map(({ site }) => site);
}

const HEX = '0123456789abcdef';

describe('a file', () => {
  it('is called by its name, and its syncs are counted', () => {
    expect(sites(mkdir('d'), create('d/f'), sync('d/f'), create('g'), sync('g'), sync('d/f'))).toEqual([
      ...['file f #1', 'file g #1', 'file f #2'],
    ]);
  });

  it('is called without what chance has put into its name', () => {
    expect(
      sites(create(`a.${HEX}ff.tmp`), sync(`a.${HEX}ff.tmp`), create(`a.${HEX}.tmp`), sync(`a.${HEX}.tmp`)),
    ).toEqual([...['file a.HEX.tmp #1', 'file a.HEX.tmp #2']]);
    expect(sites(create('a.0123abc'), sync('a.0123abc'))).toEqual(['file a.0123abc #1']);
  });
});

describe('the log of a database', () => {
  const [log, logged] = [write('s.db-wal'), sync('s.db-wal')];

  it('is synced before a sending where a request leaves before it is written again', () => {
    expect(sites(create('s.db-wal'), log, logged, SENT, log, logged, TOLD, log, logged, SENT)).toEqual([
      ...['file s.db-wal before a sending #1', 'file s.db-wal after an answer #1'],
      'file s.db-wal before a sending #2',
    ]);
  });

  it('is synced after an answer where nothing leaves any more, whatever else is written', () => {
    expect(sites(create('s.db-wal'), create('f'), log, logged, write('f'), log, logged)).toEqual([
      ...['file s.db-wal after an answer #1', 'file s.db-wal after an answer #2'],
    ]);
    expect(sites(create('s.db-wal'), create('f'), log, logged, write('f'), SENT)).toEqual([
      'file s.db-wal before a sending #1',
    ]);
  });
});

describe('a database', () => {
  it('is synced at a checkpoint once its own log was written, and without a log before', () => {
    const made = [create('s.db'), create('s.db-wal'), create('t.db'), write('s.db'), sync('s.db')];
    expect(sites(...made, write('s.db-wal'), sync('s.db'), sync('t.db'), sync('s.db'))).toEqual([
      ...['file s.db without a log #1', 'file s.db at a checkpoint #1', 'file t.db without a log #1'],
      'file s.db at a checkpoint #2',
    ]);
  });
});

describe('a folder', () => {
  it('is called by what was changed in it last', () => {
    const changes: What[] = [mkdir('d'), create('d/f'), write('d/f')];
    expect(
      sites(
        ...[...changes, sync('d'), sync('')],
        ...[{ kind: 'rename', path: 'd/f', to: 'd/g' } as const, sync('d')],
        ...[{ kind: 'unlink', path: 'd/g' } as const, sync('d')],
      ),
    ).toEqual([
      ...['folder d after create f #1', 'folder home after mkdir d #1', 'folder d after rename g #1'],
      'folder d after unlink g #1',
    ]);
  });

  it('is called by itself where nothing was changed in it', () => {
    expect(sites(mkdir('d'), sync('d'))).toEqual(['folder d #1']);
  });

  it('counts each site on its own', () => {
    expect(sites(create(`t.${HEX}`), sync(''), create(`t.${HEX}9`), sync(''), create('u'), sync(''))).toEqual(
      [
        ...[
          'folder home after create t.HEX #1',
          'folder home after create t.HEX #2',
          'folder home after create u #1',
        ],
      ],
    );
  });
});

it('takes the number from a name, and a path apart', () => {
  expect(siteOf('file f #12')).toBe('file f');
  expect(siteOf('file f')).toBe('file f');
  expect([parentOf('a/b/c'), parentOf('a'), parentOf('')]).toEqual(['a/b', '', '']);
  expect([nameOf('a/b/c'), nameOf('a'), nameOf('')]).toEqual(['c', 'a', '']);
});
