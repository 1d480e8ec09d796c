/** A root without Node, without a shell, with nothing but what the executable is linked to: what a release is installed into. */
import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { ROOT } from '../house/source.js';

export const RELEASE = join(ROOT, 'release');

/** The file of the release whose name ends so. */
export function artefact(end: string): string {
  const name = fs.readdirSync(RELEASE).find((file) => file.endsWith(end));
  expect(name, `${end} is not in release/: npm run release`).toBeDefined();
  return join(RELEASE, name ?? '');
}

/** Where its commands find themselves at home. */
export const HOME = '/root';
const ENV = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME, NO_COLOR: '1' };

/** @param install puts the executable into that folder, and says where it is then */
export function emptyRoot(install: (path: string) => string) {
  const path = fs.mkdtempSync(join(tmpdir(), 'svc-root-'));
  for (const folder of ['root', 'tmp', 'dev']) fs.mkdirSync(join(path, folder));
  const executable = install(path);
  const { stdout } = spawnSync('ldd', [join(path, executable)], { encoding: 'utf8' });
  for (const [library] of stdout.matchAll(/\/\S+\.so\S*/g)) {
    fs.mkdirSync(join(path, dirname(library)), { recursive: true });
    fs.cpSync(fs.realpathSync(library), join(path, library));
  }
  const program = ['chroot', path, executable] as const;
  return {
    path,
    /** How a process begins inside: its path there, and whatever it is given. */
    program,
    run: (...args: string[]) => {
      const {
        status,
        stdout: out,
        stderr,
      } = spawnSync('chroot', [path, executable, ...args], { encoding: 'utf8', env: ENV, maxBuffer: 1e9 });
      return { code: status, stdout: out, stderr };
    },
    start: (...args: string[]) => spawn('chroot', [path, executable, ...args], { env: ENV }),
    remove: () => fs.rmSync(path, { recursive: true, force: true }),
  };
}

/** As an administrator does: the package manager itself, whose own folders are made first. */
export function installDeb(path: string): string {
  for (const folder of ['info', 'updates', 'triggers'])
    fs.mkdirSync(join(path, 'var/lib/dpkg', folder), { recursive: true });
  fs.writeFileSync(join(path, 'var/lib/dpkg/status'), '');
  const args = [`--root=${path}`, '--ignore-depends=libc6,libstdc++6', '-i', artefact('.deb')];
  const { status, stderr } = spawnSync('dpkg', args, { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return '/usr/bin/svc';
}

/** By the script, with the sums beside the file. */
export function installArchive(path: string): string {
  const script = join(ROOT, 'packaging/install.sh');
  const args = [script, '--from', artefact('.tar.xz'), '--to', join(path, 'opt')];
  const { status, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  expect(fs.existsSync(join(path, 'opt/svc'))).toBe(true);
  return '/opt/svc';
}
