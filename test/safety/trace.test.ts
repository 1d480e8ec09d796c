import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { digest, DiskHistory, snapshot } from '../../scripts/safety/disk.js';
import { canRecord, readTrace, record, type SystemCall } from '../../scripts/safety/trace.js';
import { testFolder } from '../support/test-folder.js';

const ROOT = '/h/me';

const hex = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
const name = (path: string): string => `"${hex(path)}"`;
const at = (path: string): string => `"${hex(`${ROOT}/${path}`)}"`;
const fd = (number: number, path: string): string => `${String(number)}<${hex(`${ROOT}/${path}`)}>`;
const CWD = `AT_FDCWD<${hex(ROOT)}>`;
const PIPE = `1<${hex('pipe:[7]')}>`;
const SOCKET = `9<${hex('socket:[8]')}>`;

function read(...lines: string[]): ReturnType<typeof readTrace> {
  const log = lines.map((line, index) =>
    /^\d+ /.test(line)
      ? line.replace(' ', ` ${String(100 + index)}.5 `)
      : `7 ${String(100 + index)}.5 ${line}`,
  );
  return readTrace([...log, ''].join('\n'), ROOT);
}

const said = (calls: readonly SystemCall[]): string[] =>
  calls.map((call) => {
    const { kind } = call;
    if (kind === 'sent') return `sent ${call.key}`;
    if (kind === 'told') return `told ${call.text}`;
    if (kind === 'rename') return `rename ${call.path} ${call.to}`;
    if (kind === 'truncate') return `truncate ${call.path} ${String(call.size)}`;
    if (kind === 'write') return `write ${call.path} ${String(call.off)} ${call.data.toString()}`;
    return `${kind} ${call.path}`;
  });
const read1 = (...lines: string[]): string[] => said(read(...lines).calls);
const refused = (...lines: string[]): string[] => read(...lines).unmodelled;

describe('moments', () => {
  it('begins and ends at its own place where nothing began in between', () => {
    const { calls } = read(`fsync(${fd(3, 'a')}) = 0`, `fsync(${fd(3, 'a')}) = 0`);
    expect(calls.map(({ entry, exit }) => [entry, exit])).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(calls[1]?.at).toBe(101_500);
  });

  it('ends half a step behind what began in between', () => {
    const { calls } = read(
      `7 fsync(${fd(3, 'a')} <unfinished ...>`,
      `8 write(${fd(4, 'b')}, ${name('x')}, 1) = 1`,
      '7 <... fsync resumed>) = 0',
      `8 write(${fd(4, 'b')}, ${name('y')}, 1) = 1`,
    );
    expect(calls.map(({ kind, entry, exit }) => [kind, entry, exit])).toEqual([
      ['sync', 0, 1.5],
      ['write', 1, 1],
      ['write', 2, 2],
    ]);
  });

  it('never ends where the process did not see the end', () => {
    const { calls } = read(
      `write(${fd(4, 'b')}, ${name('xyz')}, 3 <unfinished ...>`,
      '+++ killed by SIGKILL +++',
    );
    expect(said(calls)).toEqual(['write b null xyz']);
    expect(calls[0]?.exit).toBe(Infinity);
  });

  it('counts calls that it makes nothing of, so that order stays', () => {
    const { calls } = read(
      'mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, -1, 0) = 0x7f',
      `fsync(${fd(3, 'a')}) = 0`,
    );
    expect(calls[0]?.entry).toBe(1);
  });
});

describe('files', () => {
  it('reads opens that create, and empties with O_TRUNC', () => {
    expect(
      read1(
        `openat(${CWD}, ${at('a')}, O_RDONLY) = ${fd(3, 'a')}`,
        `openat(${CWD}, ${at('b')}, O_WRONLY|O_CREAT|O_EXCL, 0600) = ${fd(3, 'b')}`,
        `open(${at('c')}, O_WRONLY|O_CREAT|O_TRUNC, 0600) = ${fd(3, 'c')}`,
        `creat(${at('d')}, 0600) = ${fd(3, 'd')}`,
      ),
    ).toEqual(['create b', 'create c', 'truncate c 0', 'create d', 'truncate d 0']);
  });

  it('follows where writes go, and leaves it to the end with O_APPEND', () => {
    expect(
      read1(
        `openat(${CWD}, ${at('a')}, O_WRONLY|O_CREAT, 0600) = ${fd(3, 'a')}`,
        `write(${fd(3, 'a')}, ${name('one')}, 3) = 3`,
        `writev(${fd(3, 'a')}, [{iov_base=${name('tw')}, iov_len=2}, {iov_base=${name('o')}, iov_len=1}], 2) = 3`,
        `pwrite64(${fd(3, 'a')}, ${name('zz')}, 2, 4096) = 2`,
        `openat(${CWD}, ${at('a')}, O_WRONLY|O_APPEND, 0600) = ${fd(3, 'a')}`,
        `write(${fd(3, 'a')}, ${name('end')}, 3) = 3`,
        `ftruncate(${fd(3, 'a')}, 5) = 0`,
        `fdatasync(${fd(3, 'a')}) = 0`,
      ),
    ).toEqual([
      ...['create a', 'write a 0 one', 'write a 3 two', 'write a 4096 zz', 'write a null end'],
      ...['truncate a 5', 'sync a'],
    ]);
  });

  it('takes what was written, not what was given to write', () => {
    const open = `openat(${CWD}, ${at('a')}, O_WRONLY|O_CREAT, 0600) = ${fd(3, 'a')}`;
    expect(
      read1(
        open,
        `write(${fd(3, 'a')}, ${name('abcd')}, 4) = 1`,
        `write(${fd(3, 'a')}, ${name('bcd')}, 3) = 3`,
      ),
    ).toEqual(['create a', 'write a 0 a', 'write a 1 bcd']);
  });

  it('reads names: folders, removals, renames; the root is the empty path', () => {
    expect(
      read1(
        `mkdir(${at('d')}, 0700) = 0`,
        `mkdirat(${CWD}, ${at('d/e')}, 0700) = 0`,
        `rename(${at('a')}, ${at('d/a')}) = 0`,
        `renameat2(${CWD}, ${at('b')}, ${CWD}, ${at('c')}, RENAME_NOREPLACE) = 0`,
        `unlink(${at('c')}) = 0`,
        `unlinkat(${CWD}, ${at('x')}, 0) = 0`,
        `rmdir(${at('d/e')}) = 0`,
        `fsync(4<${hex(ROOT)}>) = 0`,
      ),
    ).toEqual([
      ...[
        'mkdir d',
        'mkdir d/e',
        'rename a d/a',
        'rename b c',
        'unlink c',
        'unlink x',
        'unlink d/e',
        'sync ',
      ],
    ]);
  });

  it('finds relative names from the folder that the call names', () => {
    expect(
      read1(
        `openat(${CWD}, ${name('a')}, O_WRONLY|O_CREAT, 0600) = ${fd(3, 'a')}`,
        `renameat(${CWD}, ${name('a')}, 5<${hex(`${ROOT}/d`)}>, ${name('../b')}) = 0`,
        `openat(AT_FDCWD<${hex('/else')}>, ${name('a')}, O_WRONLY|O_CREAT, 0600) = 3<${hex('/else/a')}>`,
      ),
    ).toEqual(['create a', 'rename a b']);
  });

  it('leaves out what failed, what was removed and what is outside of the root', () => {
    expect(
      read1(
        `mkdir(${at('d')}, 0700) = -1 EEXIST (File exists)`,
        `openat(${CWD}, ${at('a')}, O_WRONLY|O_CREAT|O_EXCL, 0600) = -1 EEXIST (File exists)`,
        `write(${fd(3, 'a')}, ${name('x')}, 1) = -1 ENOSPC (No space left on device)`,
        `write(${fd(3, 'a')}(deleted), ${name('x')}, 1) = 1`,
        `fsync(3<${hex(`${ROOT}/a (deleted)`)}>) = 0`,
        `pwrite64(${fd(3, 'a')}(deleted), ${name('x')}, 1, 0) = 1`,
        `write(3<${hex(`${ROOT}2/a`)}>, ${name('x')}, 1) = 1`,
        `unlink(${name('/else/a')}) = 0`,
        `rename(${name('/else/a')}, ${name('/else/b')}) = 0`,
        `ftruncate(3<${hex('/else/a')}>, 0) = 0`,
      ),
    ).toEqual([]);
  });
});

describe('what leaves', () => {
  const post = (key: string): string => `POST /v2/payouts HTTP/1.1\r\nIdempotency-Key: ${key}\r\n\r\n`;

  it('reads the key of a POST in each call that can send one', () => {
    expect(
      read1(
        `write(${SOCKET}, ${name(post('k1'))}, 60) = 60`,
        `writev(${SOCKET}, [{iov_base=${name(post('k2'))}, iov_len=60}, {iov_base=${name('{}')}, iov_len=2}], 2) = 62`,
        `sendto(${SOCKET}, ${name(post('k3'))}, 60, 0, NULL, 0) = 60`,
        `sendmsg(${SOCKET}, {msg_iov=[{iov_base=${name(post('k4'))}, iov_len=60}], msg_iovlen=1}, 0) = 60`,
        `write(${SOCKET}, ${name(post('k5') + post('k6'))}, 120) = 120`,
        `write(${SOCKET}, ${name('GET /v2/events HTTP/1.1\r\nidempotency-key: k7\r\n\r\n')}, 50) = 50`,
      ),
    ).toEqual(['k1', 'k2', 'k3', 'k4', 'k5', 'k6'].map((key) => `sent ${key}`));
  });

  it('has left when a part of it did, and not when the call failed', () => {
    expect(
      read1(
        `write(${SOCKET}, ${name(post('k1'))}, 60) = -1 EPIPE (Broken pipe)`,
        `write(${SOCKET}, ${name(post('k2'))}, 60) = 5`,
        `write(${SOCKET}, ${name(post('k3'))}, 60 <unfinished ...>`,
      ),
    ).toEqual(['sent k2', 'sent k3']);
  });

  it('reads what standard output was told, once, and nothing of standard error', () => {
    expect(
      read1(
        `write(${PIPE}, ${name('né\n')}, 4) = -1 EAGAIN (Resource temporarily unavailable)`,
        `write(${PIPE}, ${name('né\n')}, 4) = 1`,
        `write(${PIPE}, ${name('é\n')}, 3) = 3`,
        `write(2<${hex('pipe:[9]')}>, ${name('no')}, 2) = 2`,
      ),
    ).toEqual(['told n', 'told é\n']);
  });

  it('takes standard output that is a file for that file', () => {
    expect(read1(`write(${fd(1, 'out')}, ${name('x')}, 1) = 1`)).toEqual(['write out null x']);
  });
});

describe('what is not modelled', () => {
  it.each([
    ['rename across the folder', `rename(${at('a')}, ${name('/else/a')}) = 0`],
    ['renameat across the folder', `renameat(${CWD}, ${name('/else/a')}, ${CWD}, ${at('a')}) = 0`],
    ['rename of a relative path', `rename(${name('a')}, ${name('b')}) = 0`],
    ['fallocate', `fallocate(${fd(3, 'a')}, 0, 0, 4096) = 0`],
    ['truncate', `truncate(${at('a')}, 0) = 0`],
    ['link', `link(${name('/else/a')}, ${at('a')}) = 0`],
    ['copy_file_range', `copy_file_range(3<${hex('/else/a')}>, NULL, ${fd(4, 'a')}, NULL, 9, 0) = 9`],
    ['splice', `splice(0<${hex('pipe:[1]')}>, NULL, ${fd(1, 'a')}, NULL, 9, 0) = 9`],
    ['sync', 'sync() = 0'],
    ['openat2', `openat2(${CWD}, ${at('a')}, {flags=O_WRONLY|O_CREAT, mode=0600}, 24) = ${fd(3, 'a')}`],
    [
      'sendmmsg',
      `sendmmsg(${SOCKET}, [{msg_hdr={msg_iov=[{iov_base=${name('POST /')}, iov_len=6}]}}], 1, 0) = 1`,
    ],
    [
      'renameat2 with RENAME_EXCHANGE',
      `renameat2(${CWD}, ${at('a')}, ${CWD}, ${at('b')}, RENAME_EXCHANGE) = 0`,
    ],
  ])('names %s', (what, line) => expect(refused(line)).toEqual([what]));

  it('names a shared mapping that can be written, but of -shm', () => {
    const map = (path: string, how: string): string =>
      `mmap(NULL, 32768, ${how}, MAP_SHARED, ${fd(5, path)}, 0) = 0x7f00`;
    expect(refused(map('a.db', 'PROT_READ|PROT_WRITE'))).toEqual(['a shared mapping of a.db']);
    expect(refused(map('a.db-shm', 'PROT_READ|PROT_WRITE'), map('a.db', 'PROT_READ'))).toEqual([]);
  });

  it('leaves alone what failed, and what is done elsewhere', () => {
    expect(
      refused(
        `fallocate(${fd(3, 'a')}, 0, 0, 4096) = -1 EOPNOTSUPP (SystemCall not supported)`,
        `fallocate(3<${hex('/else/a')}>, 0, 0, 4096) = 0`,
        `symlinkat(${name('/x')}, ${CWD}, ${name('/else/b')}) = 0`,
        `openat2(${CWD}, ${name('/else/a')}, {flags=O_RDONLY}, 24) = 3<${hex('/else/a')}>`,
        `renameat2(${CWD}, ${name('/else/a')}, ${CWD}, ${name('/else/b')}, RENAME_EXCHANGE) = 0`,
      ),
    ).toEqual([]);
  });
});

it.skipIf(!canRecord())('holds what a real run has left', async () => {
  const folder = testFolder();
  const home = join(folder, 'home');
  mkdirSync(home);
  const script =
    'mkdir $PWD/d; echo one > d/a; echo two >> d/a; mv d/a b; sync b; echo three > c; rm c; echo told';
  const log = join(folder, 'log');
  const run = await record(['sh', '-c', script], { cwd: home, env: { PATH: process.env['PATH'] }, log });
  expect(run).toMatchObject({ code: 0, out: 'told\n' });
  const { calls, unmodelled } = readTrace(readFileSync(log, 'latin1'), home);
  expect(unmodelled).toEqual([]);
  expect(said(calls)).toContain('told told\n');
  const whole = { random: () => 0, mode: 'strict', kept: 1, grain: 4096 } as const;
  const left = new DiskHistory([], calls).sample(calls.length - 1, whole);
  expect(digest(left)).toBe(digest(snapshot(home)));
});
