import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { markedLock, ancestorValues } from '../../src/runtime/parents.js';
import { testFolder } from '../support/test-folder.js';

let folder = '';
beforeEach(() => (folder = testFolder()));

function process(pid: number, parent: number, environ: string | null, name = 'sh'): void {
  mkdirSync(join(folder, String(pid)));
  writeFileSync(join(folder, String(pid), 'stat'), `${pid} (${name}) S ${parent} 1 1 0 -1 4194560 0`);
  if (environ !== null) writeFileSync(join(folder, String(pid), 'environ'), environ);
}

const above = (pid: number): readonly string[] => ancestorValues('SVC_LOCK', { folder, pid });

describe('in a chain of processes', () => {
  it('each that has it counts, from below upwards', () => {
    process(1, 0, 'HOME=/\0');
    process(20, 1, 'SVC_LOCK=read-only\0HOME=/\0');
    process(30, 20, 'HOME=/\0SVC_LOCK=sandbox');
    process(40, 30, '');
    expect(above(40)).toEqual(['sandbox', 'read-only']);
    expect(above(20)).toEqual(['read-only']);
    expect(above(1)).toEqual([]);
  });

  it('an empty one is one, a longer name and a value that holds it are none, and two are two', () => {
    process(1, 0, 'XSVC_LOCK=a\0SVC_LOCKED=b\0X=SVC_LOCK=c\0SVC_LOCK=\0SVC_LOCK=read-only\0SVC_LOCK');
    expect(above(1)).toEqual(['', 'read-only']);
  });

  it('a large environment is read to its end', () => {
    const before = Array.from({ length: 2000 }, (_, at) => `VARIABLE_${at}=${'x'.repeat(50)}`).join('\0');
    process(1, 0, `${before}\0SVC_LOCK=sandbox\0${before}\0SVC_LOCK=read-only`);
    expect(above(1)).toEqual(['sandbox', 'read-only']);
  });

  it('one whose environment may not be read is passed over', () => {
    process(1, 0, 'SVC_LOCK=sandbox\0');
    process(20, 1, null);
    process(30, 20, '');
    expect(above(30)).toEqual(['sandbox']);
  });

  it.each(['a) S 7 7 (b', 'x y', ') 1 2', '\n'])('the name of a program is no parent: %j', (name) => {
    process(1, 0, 'SVC_LOCK=sandbox\0');
    process(20, 1, '', name);
    expect(above(20)).toEqual(['sandbox']);
  });

  it('ends where nobody says who is above, and where they go in circles', () => {
    process(20, 30, 'SVC_LOCK=a\0');
    expect(above(20)).toEqual(['a']);
    process(30, 20, 'SVC_LOCK=b\0');
    expect(new Set(above(20))).toEqual(new Set(['a', 'b']));
    expect(above(20).length).toBeLessThan(100);
  });

  it('is empty where the system shows no processes', () => {
    expect(ancestorValues('SVC_LOCK', { folder: join(folder, 'none'), pid: 1 })).toEqual([]);
    expect(markedLock({ folder: join(folder, 'none') })).toEqual([]);
  });
});

it.each([
  ['0                    0          ', ['sandbox']],
  ['0                    1          ', ['read-only']],
  ['1                    1          ', ['read-only']],
  ['0                    unlimited  ', []],
  ['10                   10         ', []],
  ['unlimited            unlimited  ', []],
])('a limit of %s is a lock of %j', (limit, expected) => {
  mkdirSync(join(folder, 'self'));
  const lines = ['Max open files            0     0     files', `Max file locks            ${limit} locks`];
  writeFileSync(join(folder, 'self', 'limits'), lines.join('\n'));
  expect(markedLock({ folder })).toEqual(expected);
});

describe.skipIf(globalThis.process.platform !== 'linux')('on this machine', () => {
  const ROOM = join(import.meta.dirname, '../../src/runtime/parents.ts');
  const CODE = `import { markedLock, ancestorValues } from ${JSON.stringify(ROOM)}; console.log(JSON.stringify(ancestorValues('SVC_LOCK')));`;
  const node = [globalThis.process.execPath, '--input-type=module', '--no-warnings', '-e'];

  function seen(line: string, lock: string): unknown {
    const env = { PATH: globalThis.process.env['PATH'] ?? '', SVC_LOCK: lock };
    const { stdout, stderr } = spawnSync('sh', ['-c', line, 'sh', ...node, CODE], { env, encoding: 'utf8' });
    return stdout === '' ? stderr : JSON.parse(stdout);
  }

  it.each([
    ...['unset SVC_LOCK; "$@"; true', 'env -u SVC_LOCK "$@"; true'],
    ...['env -i "$@"; true', 'SVC_LOCK= "$@"; true'],
  ])('the shell above keeps it: %s', (line) => expect(seen(line, 'read-only')).toContain('read-only'));
});
