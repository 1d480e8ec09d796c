import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it as test } from 'vitest';
import { requireKey, signSums } from '../../scripts/release/signature.js';
import { tarOf } from '../../scripts/release/tar.js';
import { xz } from '../../scripts/release/tools.js';
import { ROOT } from '../house/source.js';
import { endOf, type Ended } from '../support/program.js';
import { serving } from '../support/serving.js';

const SCRIPT = join(ROOT, 'packaging/install.sh');
const { platform, arch } = process;
const NAME = `svc-9.9.9-${platform}-${arch}.tar.xz`;
const isThere = (name: string): boolean => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
const it = test.skipIf(!isThere('xz') || !isThere('curl'));
const SHELLS = ['dash', 'bash', 'sh'].filter(isThere);

let folder: string;
let home: string;
let to: string;
let url: string;
let stop: () => Promise<void>;

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const programOf = (text: string): Promise<Buffer> =>
  xz(tarOf(new Map([['svc-9.9.9-x/svc', { bytes: Buffer.from(text), mode: 0o755 }]]), 0), '-1');

function put(name: string, bytes: Buffer, sum = sha256(bytes)): string {
  fs.writeFileSync(join(folder, name), bytes);
  fs.writeFileSync(join(folder, 'SHA256SUMS'), `${'0'.repeat(64)}  other ${name}\n${sum}  ${name}\n`);
  return join(folder, name);
}

function install(
  args: readonly string[],
  {
    shell = 'sh',
    env = {},
    before = '',
  }: { shell?: string; env?: Record<string, string>; before?: string } = {},
): Promise<Ended> {
  const child = spawn(shell, ['-c', `${before} exec ${shell} "$@"`, shell, SCRIPT, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: home, ...env },
  });
  return endOf(child);
}

async function expectNothing(words: string | RegExp, ...given: Parameters<typeof install>): Promise<void> {
  const { code, stderr } = await install(...given);
  expect(stderr).toMatch(words);
  expect(code).not.toBe(0);
  expect(fs.existsSync(to) ? fs.readdirSync(to) : []).toEqual([]);
}

async function expectInstalled(...given: Parameters<typeof install>): Promise<string> {
  const { code, stdout, stderr } = await install(...given);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(fs.readdirSync(to)).toEqual(['svc']);
  return stdout;
}

let good: Buffer;
beforeAll(async () => {
  if (isThere('xz')) good = await programOf('#!/bin/sh\necho svc 9.9.9\n');
  ({ url, stop } = await serving((request, response) => {
    const path = join(folder, decodeURIComponent(String(request.url).slice(1).replace(/\?.*/, '')));
    if (!fs.existsSync(path)) response.writeHead(404).end();
    else response.end(fs.readFileSync(path));
  }));
});
afterAll(() => stop());
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'svc install '));
  home = join(folder, 'home');
  fs.mkdirSync(home);
  to = join(home, '.local/bin');
  return () => fs.rmSync(folder, { recursive: true, force: true });
});

describe.each(SHELLS)('in %s', (shell) => {
  it('reads without running', () => {
    expect(spawnSync(shell, ['-n', SCRIPT], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });

  it('a file with the sums beside it is installed, and what the shell needs is said', async () => {
    const said = await expectInstalled(['--from', put(NAME, good)], { shell });
    expect(said).toContain(`svc 9.9.9 is ${to}/svc.`);
    expect(said).toContain(`export PATH="${to}:$PATH"`);
    const env = { PATH: `${process.env['PATH'] ?? ''}:${to}` };
    expect(await expectInstalled(['--from', NAME], { shell, env })).not.toContain('export PATH');
  });

  it('an address is downloaded, with its sums', async () => {
    put(NAME, good);
    await expectInstalled(['--from', `${url}/${NAME}?a=b/c`], { shell });
  });

  it('a wrong sum installs nothing', async () => {
    await expectNothing('not the file that its sum says', ['--from', put(NAME, good, 'a'.repeat(64))], {
      shell,
    });
    await expectNothing('not the file that its sum says', ['--from', NAME, '--sum', 'x'], { shell });
  });
});

it('a folder with spaces, and a sum that is said', async () => {
  to = join(home, 'my programs');
  fs.writeFileSync(join(folder, 'a file'), good);
  const sum = sha256(good).toUpperCase();
  await expectInstalled(['--from', 'a file', '--sum', sum, '--to', to]);
  expect(spawnSync(join(to, 'svc'), { encoding: 'utf8' }).stdout).toBe('svc 9.9.9\n');
});

it('without sums, or without its own among them, nothing is installed', async () => {
  fs.writeFileSync(join(folder, NAME), good);
  await expectNothing('There is no SHA256SUMS beside the file', ['--from', NAME]);
  put('another', good);
  await expectNothing('has no sum of', ['--from', NAME]);
  await expectNothing('has no sum of', ['--from', `${url}/${NAME}`]);
});

it('another platform is named before anything is fetched', async () => {
  await expectNothing(`this is ${platform}-${arch}`, ['--from', `${url}/svc-9.9.9-plan9-mips.tar.xz`]);
});

it('a program that does not run here is not installed, and the one that was there stays', async () => {
  await expectInstalled(['--from', put(NAME, good)]);
  const broken = await programOf('\u007fELF of another machine');
  const { code: failed, stderr } = await install(['--from', put(NAME, broken)]);
  expect(failed).toBe(1);
  expect(stderr).toContain('does not run here');
  expect(fs.readdirSync(to)).toEqual(['svc']);
  expect(spawnSync(join(to, 'svc'), { encoding: 'utf8' }).stdout).toBe('svc 9.9.9\n');
});

it('a full disk is said, and leaves nothing behind', async () => {
  const big = await programOf(`#!/bin/sh\necho svc 9.9.9\n${'#'.repeat(4_000_000)}\n`);
  const file = put(NAME, big);
  expect(big.length).toBeLessThan(500_000);
  // `ulimit -f 2000` limits each file to 2,000 blocks, so that writing more fails as on a full disk.
  await expectNothing('is the disk full', ['--from', file], { before: 'trap "" XFSZ; ulimit -f 2000;' });
});

it('without curl, or without xz, one sentence says what to do', async () => {
  const bin = join(folder, 'bin');
  fs.mkdirSync(bin);
  const tools = [
    ...['sh', 'id', 'uname', 'mktemp', 'cat', 'rm', 'tr', 'awk', 'sha256sum', 'find', 'tar', 'grep', 'head'],
  ];
  for (const name of tools) {
    const path = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
    if (path !== '') fs.symlinkSync(path, join(bin, name));
  }
  const file = put(NAME, good);
  await expectNothing('There is no curl here', ['--from', `${url}/${NAME}`], { env: { PATH: bin } });
  await expectNothing('There is no xz here', ['--from', file], { env: { PATH: bin } });
});

it('http takes a sum, unless it is this machine; nothing else is fetched', async () => {
  await expectNothing('say --sum SHA256, or use https', ['--from', `http://example.com/${NAME}`]);
  const [, port = ''] = /:([0-9]+)$/.exec(url) ?? [];
  for (const host of [
    ...[`127.0.0.1:x@localhost:${port}`, `localhost:1@127.0.0.1:${port}`, `127.0.0.1:@localhost:${port}`],
    ...[`localhost\\@127.0.0.1:${port}`, `localhost.example.com:${port}`, '127.0.0.1:', `127.0.0.1:${port}a`],
  ])
    await expectNothing('say --sum SHA256, or use https', ['--from', `http://${host}/${NAME}`]);
  await expectNothing('Only https and files', ['--from', `ftp://example.com/${NAME}`]);
  await expectNothing('could not be downloaded', ['--from', `${url}/missing`, '--sum', 'x']);
});

it('what is no archive of svc, a folder in its place, an unknown word', async () => {
  await expectNothing('is no archive of svc', ['--from', put(NAME, Buffer.from('x'))]);
  expect((await install(['--form', 'x'])).code).toBe(2);
  expect((await install(['--from'])).code).toBe(2);
  fs.mkdirSync(join(to, 'svc'), { recursive: true });
  expect((await install(['--from', put(NAME, good)])).stderr).toContain('/svc is a folder');
});

test.skipIf(process.getuid?.() !== 0)('root is not let into the home of somebody else', async () => {
  const file = put(NAME, good);
  await expectNothing('say --to /usr/local/bin', ['--from', file], { env: { SUDO_USER: 'somebody' } });
  spawnSync('chown', ['1:1', home]);
  await expectNothing('in the home of somebody else', ['--from', file]);
});

describe.skipIf(!isThere('ssh-keygen'))('with --signers (skipped where there is no ssh-keygen)', () => {
  const keyOf = (name: string): string => {
    const path = join(folder, name);
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', path]);
    return path;
  };
  const listOf = (key: string, options = 'namespaces="svc-release" '): string => {
    const path = join(folder, `signers of ${key.slice(folder.length + 1)}`);
    fs.writeFileSync(path, `release@example.com ${options}${fs.readFileSync(`${key}.pub`, 'utf8')}`);
    return path;
  };

  it('what one of them has signed is installed, from a file and from an address', async () => {
    const key = keyOf('key');
    const file = put(NAME, good);
    signSums(folder, key);
    for (const from of [file, `${url}/${NAME}`])
      await expectInstalled(['--from', from, '--signers', listOf(key)]);
  });

  it('a changed byte in archive, sums or signature is refused', async () => {
    const key = keyOf('key');
    const signers = listOf(key);
    const sums = join(folder, 'SHA256SUMS');
    const flipped = (bytes: Buffer, at: number): Buffer =>
      Buffer.from(bytes.map((byte, place) => (place === at ? byte ^ 1 : byte)));
    const inTheMiddle = (bytes: Buffer): Buffer => flipped(bytes, Math.floor(bytes.length / 2));
    const changes: readonly (readonly ['archive' | 'sums' | 'signature', (bytes: Buffer) => Buffer])[] = [
      ['archive', inTheMiddle],
      ['sums', (bytes) => flipped(bytes, 3)],
      ['signature', inTheMiddle],
      ['signature', (bytes) => bytes.subarray(0, bytes.length / 2)],
      ['signature', (bytes) => flipped(bytes, bytes.indexOf('\n', 40))],
      ['signature', (bytes) => flipped(bytes, bytes.length - 1)],
      ['signature', (bytes) => bytes.subarray(0, -1)],
      ['signature', (bytes) => Buffer.concat([bytes, Buffer.from('x')])],
      ['signature', (bytes) => Buffer.concat([bytes, Buffer.from('\n')])],
      ['signature', (bytes) => Buffer.concat([bytes.subarray(0, 50), Buffer.from('\n'), bytes.subarray(50)])],
    ];
    for (const [what, change] of changes) {
      const file = put(NAME, good);
      signSums(folder, key);
      const path = { archive: file, sums, signature: `${sums}.sig` }[what];
      fs.writeFileSync(path, change(fs.readFileSync(path)));
      const words = what === 'archive' ? 'not the file that its sum says' : 'Nothing was installed';
      await expectNothing(words, ['--from', file, '--signers', signers]);
    }
  });

  it('so is the signature of another key, one for something else, none, and a signer who may not sign releases', async () => {
    const key = keyOf('key');
    const other = keyOf('other');
    const file = put(NAME, good);
    await expectNothing('this release is not signed', ['--from', file, '--signers', listOf(key)]);
    await expectNothing('could not be downloaded', ['--from', `${url}/${NAME}`, '--signers', listOf(key)]);
    signSums(folder, other);
    await expectNothing(/Nobody in .* has signed/, ['--from', file, '--signers', listOf(key)]);
    fs.rmSync(join(folder, 'SHA256SUMS.sig'));
    spawnSync('ssh-keygen', ['-q', '-Y', 'sign', '-n', 'file', '-f', key, join(folder, 'SHA256SUMS')]);
    await expectNothing('is not good', ['--from', file, '--signers', listOf(key)]);
    signSums(folder, key);
    const git = listOf(key, 'namespaces="git" ');
    await expectNothing('Nothing was installed', ['--from', file, '--signers', git]);
    await expectNothing('There is no file', ['--from', file, '--signers', join(folder, 'nobody')]);
    const both = await install(['--from', file, '--signers', listOf(key), '--sum', sha256(good)]);
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('Say --sum or --signers')]);
  });

  it.each(SHELLS)('a key that stands on several lines is looked for in each, by %s', async (shell) => {
    const key = keyOf('key');
    const other = keyOf('other');
    const file = put(NAME, good);
    signSums(folder, key);
    const list = join(folder, 'a list');
    const line = (path: string, options: string): string =>
      `${options} ${fs.readFileSync(`${path}.pub`, 'utf8')}`;
    const foreign = [
      '# who signs what\n\n',
      line(other, 'other@example.com namespaces="svc-release"'),
      line(key, 'a@example.com,b@example.com namespaces="git"'),
    ];
    fs.writeFileSync(list, foreign.join(''));
    await expectNothing('is not good', ['--from', file, '--signers', list], { shell });
    fs.writeFileSync(
      list,
      [...foreign, line(key, 'r@example.com namespaces="svc-release"').trimEnd()].join(''),
    );
    await expectInstalled(['--from', file, '--signers', list], { shell });
  });

  it('a key that is none makes no signature, and is refused before anything is made', () => {
    const none = join(folder, 'no key');
    fs.writeFileSync(none, 'no key');
    expect(() => requireKey(none)).toThrow('is no key of ssh');
    expect(() => requireKey(join(folder, 'missing'))).toThrow('is no key of ssh');
    const key = keyOf('key');
    for (const half of [key, `${key}.pub`]) expect(() => requireKey(half)).not.toThrow();
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, 'scripts/release.js'), '--sign', none],
      { encoding: 'utf8', timeout: 60_000 },
    );
    expect([status, stdout, stderr]).toEqual([
      1,
      '',
      `No signature: ${none} is no key of ssh. Nothing was made.\n`,
    ]);
  });
});

it('half of the script, as a broken connection leaves it, does nothing', () => {
  const text = fs.readFileSync(SCRIPT, 'utf8');
  for (const part of [0.3, 0.6, 0.9, 0.99]) {
    const half = text.slice(0, text.length * part);
    const { stdout } = spawnSync('sh', ['-s', '--', '--from', put(NAME, good)], {
      input: half,
      env: { HOME: home },
    });
    expect(String(stdout)).toBe('');
    expect(fs.existsSync(to)).toBe(false);
  }
});

test.skipIf(!isThere('shellcheck'))('shellcheck has nothing to say (skipped where there is none)', () => {
  expect(spawnSync('shellcheck', [SCRIPT], { encoding: 'utf8' }).stdout).toBe('');
});
