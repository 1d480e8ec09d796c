import * as fs from 'node:fs';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../house/source.js';
import { changeAt, makeProject, put, putPack, type Project, written } from './project.js';
import { testFolder } from '../support/test-folder.js';

const { ownFolder } = createRequire(import.meta.url)(join(ROOT, 'bin/private.js')) as {
  ownFolder(name: string, env: NodeJS.ProcessEnv, userId: number | null): string | null;
};
const ME = process.geteuid?.() ?? -1;

let root: string;
beforeEach(() => (root = testFolder()));

const modeOf = (path: string): string => (fs.lstatSync(path).mode & 0o777).toString(8);

describe('the folder', () => {
  it.each([
    ['below HOME', () => ({ HOME: root }), '.cache/svc/compiled'],
    ['below XDG_CACHE_HOME', () => ({ HOME: '/', XDG_CACHE_HOME: join(root, 'x') }), 'x/svc/compiled'],
    ['not below a relative one', () => ({ HOME: root, XDG_CACHE_HOME: 'x' }), '.cache/svc/compiled'],
  ])('is made private %s', (_what, env, path) => {
    expect(ownFolder('compiled', env(), ME)).toBe(join(root, path));
    expect([modeOf(join(root, path)), modeOf(join(root, path, '..'))]).toEqual(['700', '700']);
    expect(ownFolder('compiled', env(), ME)).toBe(join(root, path));
  });

  const cache = (): string => join(root, 'cache');
  it.each<[string, () => void]>([
    [
      'svc is a link',
      () => {
        fs.mkdirSync(join(root, 'own'), 0o700);
        fs.symlinkSync(join(root, 'own'), join(cache(), 'svc'));
      },
    ],
    ['svc is a link to nothing', () => fs.symlinkSync(join(root, 'nowhere'), join(cache(), 'svc'))],
    [
      'compiled is a link',
      () => {
        for (const path of [join(root, 'own'), join(cache(), 'svc')]) fs.mkdirSync(path, 0o700);
        fs.symlinkSync(join(root, 'own'), join(cache(), 'svc/compiled'));
      },
    ],
    ['svc is a file', () => fs.writeFileSync(join(cache(), 'svc'), '')],
    [
      'others may write to svc',
      () => {
        fs.mkdirSync(join(cache(), 'svc'));
        fs.chmodSync(join(cache(), 'svc'), 0o770);
      },
    ],
    ['others may write above it', () => fs.chmodSync(cache(), 0o777)],
  ])('is none where %s', (_what, plant) => {
    fs.mkdirSync(cache(), 0o700);
    plant();
    expect(ownFolder('compiled', { XDG_CACHE_HOME: cache() }, ME)).toBeNull();
    expect(fs.existsSync(join(root, 'nowhere'))).toBe(false);
    if (fs.existsSync(join(root, 'own'))) expect(fs.readdirSync(join(root, 'own'))).toEqual([]);
  });

  it('is none where another user was there first, as in a shared folder', () => {
    fs.chmodSync(root, 0o1777);
    expect(ownFolder('compiled', { XDG_CACHE_HOME: root }, ME)).not.toBeNull();
    expect(ownFolder('compiled', { XDG_CACHE_HOME: root }, ME + 1)).toBeNull();
    expect(ownFolder('compiled', { XDG_CACHE_HOME: root }, null)).toBeNull();
    expect(ownFolder('compiled', { HOME: 'relative' }, ME)).toBeNull();
    expect(ownFolder('compiled', { HOME: '/dev/null' }, ME)).toBeNull();
  });
});

describe('on a Node that the build is not for', () => {
  let project: Project;
  let id: string;
  const CHUNKS = [
    ['main.js', "const late = () => require('./late.js'); exports.start = async () => { late().say(); };"],
    ['late.js', "exports.say = () => console.log('said');"],
  ] as const;
  beforeEach(() => {
    project = makeProject('');
    id = putPack(project.folder, CHUNKS);
    fs.mkdirSync(join(root, 'tmp'));
  });

  async function start(
    env: NodeJS.ProcessEnv = { HOME: root },
    options: readonly string[] = [],
  ): Promise<string[]> {
    const probe = put(
      project.folder,
      'probe.cjs',
      `const vm = require('node:vm');
      vm.Script = class extends vm.Script {
        constructor(code, options) {
          super(code, options);
          console.log(options.filename + (options.cachedData === undefined ? ' compiled' : this.cachedDataRejected ? ' rejected' : ' known'));
        }
      };`,
    );
    const args = [...options, '--require', probe, join(project.folder, 'bin/run.js')];
    const text = await written(args, { env: { TMPDIR: join(root, 'tmp'), ...env } });
    expect(fs.readdirSync(join(root, 'tmp'))).toEqual([]);
    return text.trim().split('\n');
  }
  const own = (): string => join(root, '.cache/svc/compiled');
  const FIRST = ['svc:main.js compiled', 'svc:late.js compiled', 'said'];
  const NEXT = ['svc:main.js known', 'svc:late.js known', 'said'];

  it('keeps what it compiled in a folder of the user, and uses it from then on', async () => {
    expect(await start()).toEqual(FIRST);
    const [name = ''] = fs.readdirSync(own());
    expect(name).toBe(`${id}-${process.version}-${process.platform}-${process.arch}`);
    expect(modeOf(join(own(), name))).toBe('600');
    expect(await start()).toEqual(NEXT);
  });

  it.each<[string, (file: string) => void]>([
    ['is cut short', (file) => fs.truncateSync(file, fs.statSync(file).size - 9)],
    ['was changed', (file) => changeAt(file, fs.statSync(file).size - 40)],
    ['is something else', (file) => fs.writeFileSync(file, 'x'.repeat(500))],
    ['is empty', (file) => fs.truncateSync(file)],
    ['can be written by others', (file) => fs.chmodSync(file, 0o620)],
    ['can be read by others', (file) => fs.chmodSync(file, 0o604)],
    [
      'is a link',
      (file) => {
        fs.renameSync(file, `${file}.real`);
        fs.symlinkSync(`${file}.real`, file);
      },
    ],
  ])('one that %s is not believed, and made again', async (_what, spoil) => {
    await start();
    const file = join(own(), fs.readdirSync(own())[0]!);
    spoil(file);
    expect((await start()).filter((line) => line.endsWith('known')).length).toBeLessThan(2);
    expect(fs.lstatSync(file).isFile()).toBe(true);
    expect(await start()).toEqual(NEXT);
  });

  it('that of another pack is not believed, under any name', async () => {
    await start();
    const [name = ''] = fs.readdirSync(own());
    const other = CHUNKS.map(([chunk, code]) => [chunk, code.replace('said', 'told')] as const);
    fs.renameSync(join(own(), name), join(own(), name.replace(id, putPack(project.folder, other))));
    expect(await start()).toEqual([...FIRST.slice(0, 2), 'told']);
  });

  it('the one in the package is believed where it was made for this pack and this Node', async () => {
    await start();
    const built = join(project.folder, 'dist/svc.cache');
    fs.renameSync(join(own(), fs.readdirSync(own())[0]!), built);
    fs.rmSync(own(), { recursive: true });
    expect(await start()).toEqual(NEXT);
    expect(fs.existsSync(own())).toBe(false);
    fs.truncateSync(built, fs.statSync(built).size - 1);
    expect(await start()).toEqual(['svc:main.js known', 'svc:late.js compiled', 'said']);
  });

  it('of many first starts at once each one works, and one file is left', async () => {
    for (const lines of await Promise.all(Array.from({ length: 6 }, () => start())))
      expect(lines.at(-1)).toBe('said');
    expect(fs.readdirSync(own())).toHaveLength(1);
    expect(await start()).toEqual(NEXT);
  });

  it('keeps no more than four: those that were written last', async () => {
    fs.mkdirSync(own(), { recursive: true, mode: 0o700 });
    fs.chmodSync(join(own(), '..'), 0o700);
    for (const old of ['a', 'b', 'c', 'd', 'e']) fs.writeFileSync(join(own(), old), '');
    for (const old of ['a', 'b']) fs.utimesSync(join(own(), old), 1, 1);
    await start();
    expect(fs.readdirSync(own()).filter((name) => /^.$/.test(name))).toEqual(['c', 'd', 'e']);
  });

  it('that of another Node is another one, and both stay', async () => {
    await start();
    const other = put(
      project.folder,
      'other.cjs',
      "Object.defineProperty(process, 'version', { value: 'v99.1.0' });",
    );
    const env = { HOME: root };
    expect(await start(env, ['--require', other])).toEqual(FIRST);
    expect(await start(env, ['--require', other])).toEqual(NEXT);
    expect(await start(env)).toEqual(NEXT);
    expect(fs.readdirSync(own())).toHaveLength(2);
  });

  it('keeps nothing where the disk is full, and works', async () => {
    // `ulimit -f 1` limits each file to one block, so that writing more fails as on a full disk.
    const script = `ulimit -f 1; exec '${process.execPath}' '${join(project.folder, 'bin/run.js')}' > '${join(root, 'said')}' 2>&1`;
    const long = CHUNKS.map(([name, code]) => [name, code + ';'.repeat(2000)] as const);
    putPack(project.folder, long);
    const { status } = spawnSync('bash', ['-c', script], { env: { HOME: root, PATH: process.env['PATH'] } });
    expect(status).toBe(0);
    expect(fs.readFileSync(join(root, 'said'), 'utf8')).toBe('said\n');
    expect(fs.readdirSync(own())).toEqual([]);
    expect(await start()).toEqual(FIRST);
    expect(fs.statSync(join(own(), fs.readdirSync(own())[0]!)).size).toBeGreaterThan(1024);
  });

  it.each<[string, () => NodeJS.ProcessEnv]>([
    ['there is no home', () => ({ HOME: '/dev/null' })],
    ['the home can only be read', () => ({ HOME: '/proc/self' })],
    [
      "the folder is not the user's alone",
      () => {
        fs.mkdirSync(join(root, '.cache/svc'), { recursive: true });
        fs.chmodSync(join(root, '.cache/svc'), 0o777);
        return { HOME: root };
      },
    ],
  ])('keeps nothing where %s, and works', async (_what, env) => {
    expect(await start(env())).toEqual(FIRST);
    expect(await start(env())).toEqual(FIRST);
    expect(fs.existsSync(own())).toBe(false);
  });

  it('starts where the account has no home, as in many containers', async () => {
    const stub = put(
      root,
      'no-account.cjs',
      "require('node:os').homedir = () => { if (process.env.HOME === undefined) throw new Error('ENOENT'); return process.env.HOME; };",
    );
    const args = ['--require', stub, join(project.folder, 'bin/run.js')];
    expect(await written(args, { env: {} })).toBe('said\n');
  });
});

describe('a pack that is not as it was built', () => {
  let project: Project;
  beforeEach(() => (project = makeProject("console.log('said');")));
  const start = (code = 0): Promise<string> =>
    written([join(project.folder, 'bin/run.js')], { env: { HOME: root } }, code);

  it.each<[string, (file: string) => void]>([
    ['cut short', (file) => fs.truncateSync(file, fs.statSync(file).size - 30)],
    ['empty', (file) => fs.truncateSync(file)],
    ['something else', (file) => fs.writeFileSync(file, 'exports.start = () => 1;'.repeat(9))],
    ['changed in its head', (file) => changeAt(file, 30)],
    ['changed in a chunk', (file) => changeAt(file, fs.statSync(file).size - 20)],
  ])('%s: one sentence, and nothing of it runs', async (_what, spoil) => {
    const file = join(project.folder, 'dist/svc.pack');
    spoil(file);
    expect(await start(1)).toBe(`${file} is not as it was built: svc is damaged. Install it again.\n`);
  });

  it('a damaged chunk is so each time it is asked for, and so is what needs it', async () => {
    putPack(project.folder, [
      [
        'main.js',
        `exports.start = async () => {
          for (const name of ['./late.js', './needs-it.js', './late.js', './needs-it.js'])
            try { console.log(require(name)); } catch (error) { console.log(error.name); }
        };`,
      ],
      ['needs-it.js', "exports.half = 1; require('./late.js');"],
      ['late.js', "exports.say = () => console.log('said');"],
    ]);
    const file = join(project.folder, 'dist/svc.pack');
    changeAt(file, fs.statSync(file).size - 20);
    expect(await start()).toBe('Damaged\n'.repeat(4));
  });

  it('a thread takes the pack of the program that starts it, and none that was put there meanwhile', async () => {
    fs.cpSync(join(ROOT, 'dist/thread.cjs'), join(project.folder, 'dist/thread.cjs'));
    const main = `exports.start = async ({ thread }) => {
      const { Worker } = require('node:worker_threads');
      for (const pack of [thread.pack, 'another']) {
        const worker = new Worker(thread.source, { argv: ['part', pack] });
        worker.on('error', (error) => console.log(error.message));
        await new Promise((resolve) => worker.on('exit', resolve));
      }
    };`;
    const part = "require('node:worker_threads').parentPort.close(); console.log('the part');";
    putPack(project.folder, [
      ['main.js', main],
      ['part.js', part],
    ]);
    expect(await start()).toBe('the part\nsvc was replaced by another one while it ran\n');
  });
});
