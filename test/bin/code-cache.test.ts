/** Where compiled code is kept: a folder that only the user can write, or nowhere; never the temporary one. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../house/source.js';
import { makeProject, put, run, type Project } from './project.js';

const { ownFolder } = createRequire(import.meta.url)(join(ROOT, 'bin/code-cache.js')) as {
  ownFolder(env: NodeJS.ProcessEnv, userId: number | undefined): string | null;
};
const ME = process.geteuid?.() ?? -1;

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'svc-cache-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const modeOf = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

describe('the folder', () => {
  it.each([
    ['below HOME', () => ({ HOME: root }), '.cache/svc/compiled'],
    ['below XDG_CACHE_HOME', () => ({ HOME: '/', XDG_CACHE_HOME: join(root, 'x') }), 'x/svc/compiled'],
    ['not below a relative one', () => ({ HOME: root, XDG_CACHE_HOME: 'x' }), '.cache/svc/compiled'],
  ])('is made private %s', (_what, env, path) => {
    expect(ownFolder(env(), ME)).toBe(join(root, path));
    expect([modeOf(join(root, path)), modeOf(join(root, path, '..'))]).toEqual(['700', '700']);
    expect(ownFolder(env(), ME)).toBe(join(root, path));
  });

  const cache = (): string => join(root, 'cache');
  it.each<[string, () => void]>([
    [
      'svc is a link',
      () => {
        mkdirSync(join(root, 'own'), 0o700);
        symlinkSync(join(root, 'own'), join(cache(), 'svc'));
      },
    ],
    ['svc is a link to nothing', () => symlinkSync(join(root, 'nowhere'), join(cache(), 'svc'))],
    [
      'compiled is a link',
      () => {
        for (const path of [join(root, 'own'), join(cache(), 'svc')]) mkdirSync(path, 0o700);
        symlinkSync(join(root, 'own'), join(cache(), 'svc/compiled'));
      },
    ],
    ['svc is a file', () => writeFileSync(join(cache(), 'svc'), '')],
    [
      'others may write to svc',
      () => {
        mkdirSync(join(cache(), 'svc'));
        chmodSync(join(cache(), 'svc'), 0o770);
      },
    ],
    ['others may write above it', () => chmodSync(cache(), 0o777)],
  ])('is none where %s', (_what, plant) => {
    mkdirSync(cache(), 0o700);
    plant();
    expect(ownFolder({ XDG_CACHE_HOME: cache() }, ME)).toBeNull();
    expect(existsSync(join(root, 'nowhere'))).toBe(false);
    if (existsSync(join(root, 'own'))) expect(readdirSync(join(root, 'own'))).toEqual([]);
  });

  it('is none where another user was there first, as in a shared folder', () => {
    chmodSync(root, 0o1777);
    expect(ownFolder({ XDG_CACHE_HOME: root }, ME)).not.toBeNull();
    expect(ownFolder({ XDG_CACHE_HOME: root }, ME + 1)).toBeNull();
    expect(ownFolder({ XDG_CACHE_HOME: root }, undefined)).toBeNull();
    expect(ownFolder({ HOME: 'relative' }, ME)).toBeNull();
    expect(ownFolder({ HOME: '/dev/null' }, ME)).toBeNull();
  });
});

describe('the program', () => {
  let project: Project;
  beforeEach(() => {
    project = makeProject("console.log(String((await import('node:module')).getCompileCacheDir()));");
  });
  afterEach(() => project.remove());

  async function cacheOf(env: NodeJS.ProcessEnv): Promise<string> {
    const { ended, text } = run([join(project.folder, 'bin/run.js')], {
      env: { TMPDIR: join(root, 'tmp'), ...env },
    });
    expect(await ended).toEqual({ code: 0, signal: null });
    return text().trim();
  }

  it('keeps what it compiles there, and leaves the temporary folder alone', async () => {
    mkdirSync(join(root, 'tmp'));
    expect((await cacheOf({ HOME: root })).startsWith(join(root, '.cache/svc/compiled/'))).toBe(true);
    expect(readdirSync(join(root, '.cache/svc/compiled'))).toHaveLength(1);
    expect(readdirSync(join(root, 'tmp'))).toEqual([]);
  });

  it('keeps none where it has no folder of its own, whatever lies in the temporary one', async () => {
    mkdirSync(join(root, 'tmp/node-compile-cache'), { recursive: true });
    expect(await cacheOf({ HOME: '/dev/null' })).toBe('undefined');
    expect(readdirSync(join(root, 'tmp/node-compile-cache'))).toEqual([]);
  });

  it('starts without one where the account has no home, as in many containers', async () => {
    const stub = put(
      root,
      'no-account.cjs',
      "require('node:os').homedir = () => { if (process.env.HOME === undefined) throw new Error('ENOENT'); return process.env.HOME; };",
    );
    const { ended, text } = run(['--require', stub, join(project.folder, 'bin/run.js')], { env: {} });
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(text().trim()).toBe('undefined');
  });
});
