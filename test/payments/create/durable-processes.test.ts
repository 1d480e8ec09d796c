import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { testFolder } from '../../support/test-folder.js';
import { COMMAND, endOf, environment, shell } from '../../support/program.js';
import { payout } from '../../support/requests.js';

const HAS_STRACE = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
const CALLS = 'write,pwrite64,fsync,fdatasync,rename,renameat,renameat2';

let home: string;
beforeEach(() => {
  home = testFolder();
});

interface Traced {
  readonly code: number | null;
  readonly stderr: string;
  readonly calls: readonly string[];
}

async function traced(
  argv: readonly string[],
  output: '> file' | '>> file' | '> /dev/null' | '| cat',
): Promise<Traced> {
  const log = join(home, 'trace');
  const path = output.endsWith('file') ? join(home, 'out.json') : '/dev/null';
  const file = output === '| cat' ? 'pipe' : openSync(path, output.startsWith('>>') ? 'a' : 'w');
  const words = ['-f', '-y', '-qq', '-s', '0', '-e', `trace=${CALLS}`, '-o', log, ...COMMAND, ...argv];
  const ended = await straced(words, file);
  const calls = readFileSync(log, 'utf8').split('\n').flatMap(callOf);
  rmSync(log);
  return { ...ended, calls };
}

async function straced(words: readonly string[], file: number | 'pipe'): Promise<Omit<Traced, 'calls'>> {
  const child = spawn('strace', words, { env: environment(home), stdio: ['ignore', file, 'pipe'] });
  const { code, stderr } = await endOf(child);
  if (typeof file === 'number') closeSync(file);
  return { code, stderr };
}

function callOf(line: string): string[] {
  if (/^\d+ +rename\w*\(.*\/checkpoints\//.test(line)) return ['rename checkpoint'];
  const [, call = '', descriptor, file = ''] = /^\d+ +(\w+)\((\d+)<([^>]*)>/.exec(line) ?? [];
  if (descriptor === '1') return [`${call} output`];
  if (file === home) return [`${call} HOME`];
  return file.startsWith(`${home}/`) ? [`${call} ${basename(file)}`] : [];
}

const CREATE = payout();
const TAIL = ['events', 'tail', '--no-follow', '--checkpoint', 'books'];
const WRITTEN = ['write output', 'fsync output', 'fsync HOME'];

describe.runIf(HAS_STRACE)('in a file', () => {
  it('a create is on the disk, and its name, before the journal settles it', async () => {
    const { code, stderr, calls } = await traced(CREATE, '> file');
    expect(code, stderr).toBe(0);
    const ours = calls.filter((call) => /output|HOME|(write64|sync) requests\.db-wal/.test(call));
    const at = ours.indexOf('write output');
    expect(ours.slice(at, at + 4)).toEqual([...WRITTEN, 'pwrite64 requests.db-wal']);
    const synced = /pwrite64 requests\.db-wal\n(.*\n)*f(data)?sync requests\.db-wal/;
    expect(ours.slice(0, at).join('\n')).toMatch(synced);
    expect(calls.filter((call) => call === 'fsync output')).toHaveLength(1);
  });

  it('an event is on the disk before the checkpoint moves', async () => {
    for (let count = 0; count < 2; count += 1) expect((await traced(CREATE, '| cat')).code).toBe(0);
    const { code, stderr, calls } = await traced(TAIL, '>> file');
    expect(code, stderr).toBe(0);
    const ours = calls.filter((call) => /output|HOME|rename/.test(call));
    const at = ours.indexOf('write output');
    expect(ours.slice(at, at + 4)).toEqual([...WRITTEN, 'rename checkpoint']);
    expect(readFileSync(join(home, 'out.json'), 'utf8').trim().split('\n')).toHaveLength(2);
  });
});

it.runIf(HAS_STRACE).each(['> /dev/null', '| cat'] as const)('with %s nothing is synced', async (where) => {
  const { code, stderr, calls } = await traced(CREATE, where);
  expect(code, stderr).toBe(0);
  const at = calls.indexOf('write output');
  expect(calls.slice(at).filter((call) => /output|HOME/.test(call))).toEqual(['write output']);
});

function failing(argv: readonly string[]): Promise<Omit<Traced, 'calls'>> {
  const path = join(home, 'out.json');
  const words = ['-f', '-qq', '-o', '/dev/null', '-P', path, '-e', 'trace=fsync'];
  return straced([...words, '-e', 'inject=fsync:error=EIO', ...COMMAND, ...argv], openSync(path, 'a'));
}

it.runIf(HAS_STRACE)('on a disk that fails nothing counts as done, and all of it comes again', async () => {
  const paid = await failing(CREATE);
  expect(paid.code).toBe(16);
  expect(paid.stderr).toContain('The disk reports an error.');
  expect((await shell('svc requests list', home)).stdout).toContain('"repeatable":true');
  expect((await failing(TAIL)).code).toBe(16);
  const again = await shell(`svc ${TAIL.join(' ')} | wc -l`, home);
  expect(again.stdout.trim()).toBe('1');
  const repeated = await shell('svc requests repeat --all > /dev/null && svc requests list', home);
  expect(repeated.stdout).toBe('{"requests":[]}\n');
});
