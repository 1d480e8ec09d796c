import * as fs from 'node:fs';
import disk from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/runtime/database.js';
import { readPrivate, writePrivate } from '../../src/runtime/files.js';
import { ensurePrivateFolder } from '../../src/runtime/folders.js';
import { IS_REST } from '../support/rest.js';
import { testFolder } from '../support/test-folder.js';
import { TOY } from './toy-store.js';

let root: string;
beforeEach(() => (root = testFolder()));

const modeOf = (path: string): string => (fs.lstatSync(path).mode & 0o7777).toString(8);
const localState = (text: string | RegExp): unknown =>
  expect.objectContaining({ kind: 'local_state', message: expect.stringMatching(text) as string });
const thrownBy = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  return null;
};

function asked(work: () => void): string[] {
  const names = new Map<number, string>();
  const log: string[] = [];
  const { openSync, fsyncSync, renameSync } = disk;
  disk.openSync = (...opening): number => {
    const file = openSync(...opening);
    names.set(file, String(opening[0]));
    return file;
  };
  disk.fsyncSync = (file): void => {
    log.push(`sync ${names.get(file) ?? '?'}`);
    fsyncSync(file);
  };
  disk.renameSync = (from, to): void => {
    log.push(`rename to ${String(to)}`);
    renameSync(from, to);
  };
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    Object.assign(disk, { openSync, fsyncSync, renameSync });
    syncBuiltinESMExports();
  }
  return log;
}

const folders = (): string[] => ['a/b', 'a', '.'].map((name) => join(root, name));
const synced = (file: string): string[] =>
  asked(() => openDatabase(file, TOY).close()).flatMap((line) => {
    const path = line.slice('sync '.length);
    return line.startsWith('sync ') && `${path}/`.startsWith(`${root}/`) ? [path] : [];
  });

it.each([
  ['nobody has made', () => undefined],
  [
    'a run has made that was killed before it synced them',
    () => fs.mkdirSync(join(root, 'a/b'), { recursive: true }),
  ],
  [
    'a run has made that was killed once the file was there',
    () => {
      fs.mkdirSync(join(root, 'a/b'), { recursive: true });
      fs.writeFileSync(join(root, 'a/b/x.db'), '', { mode: 0o600 });
    },
  ],
])('the name of a database is durable with the folders above it, which %s', (_what, before) => {
  before();
  const file = join(root, 'a/b/x.db');
  expect(synced(file)).toEqual(folders());
  expect(synced(file)).toEqual([]);
});

describe('writePrivate', () => {
  it('syncs the bytes before they get their name, and the folder after that', () => {
    const path = join(root, 'keys.json');
    writePrivate(path, 'one');
    const [bytes, ...then] = asked(() => writePrivate(path, 'two'));
    expect(bytes).toMatch(/^sync .*\.keys\.json\..*\.tmp$/);
    expect(then).toEqual([`rename to ${path}`, `sync ${root}`]);
  });

  it('makes the file 0600 and every folder it had to make 0700', () => {
    const path = join(root, 'a', 'b', 'keys.json');
    writePrivate(path, 'one');
    expect([modeOf(path), modeOf(join(root, 'a', 'b')), modeOf(join(root, 'a'))]).toEqual([
      '600',
      '700',
      '700',
    ]);
    expect(readPrivate(path)?.toString()).toBe('one');
  });

  it('replaces a file that was open to others by a private one', () => {
    const path = join(root, 'keys.json');
    fs.writeFileSync(path, 'old');
    fs.chmodSync(path, 0o644);
    writePrivate(path, 'new');
    expect([modeOf(path), fs.readFileSync(path, 'utf8')]).toEqual(['600', 'new']);
  });

  it('tightens a folder that was open to others', () => {
    const folder = join(root, 'svc');
    fs.mkdirSync(folder);
    fs.chmodSync(folder, 0o755);
    writePrivate(join(folder, 'x'), '');
    expect(modeOf(folder)).toBe('700');
  });

  it('replaces a link instead of writing through it', () => {
    const elsewhere = join(root, 'elsewhere');
    const path = join(root, 'keys.json');
    fs.writeFileSync(elsewhere, 'untouched');
    fs.symlinkSync(elsewhere, path);
    writePrivate(path, 'secret');
    expect(fs.readFileSync(elsewhere, 'utf8')).toBe('untouched');
    expect(fs.lstatSync(path).isFile()).toBe(true);
  });

  it('leaves the old file and no temporary one where it fails', () => {
    const path = join(root, 'taken');
    fs.mkdirSync(join(path, 'inside'), { recursive: true });
    expect(thrownBy(() => writePrivate(path, 'x'))).toEqual(localState(/could not be written/));
    expect(fs.readdirSync(root)).toEqual(['taken']);
  });

  it.each(['elsewhere', 'nowhere'])('refuses a folder that is a link to %s, and leaves it', (name) => {
    const elsewhere = join(root, 'elsewhere');
    fs.mkdirSync(elsewhere);
    fs.chmodSync(elsewhere, 0o755);
    fs.symlinkSync(join(root, name), join(root, 'svc'));
    expect(thrownBy(() => ensurePrivateFolder(join(root, 'svc')))).toEqual(localState(/is a link/));
    expect(thrownBy(() => writePrivate(join(root, 'svc', 'x'), ''))).toEqual(localState(/is a link/));
    expect([modeOf(elsewhere), fs.readdirSync(elsewhere)]).toEqual(['755', []]);
    expect(fs.existsSync(join(root, 'nowhere'))).toBe(false);
  });

  it('says that something in the way is no folder', () => {
    fs.writeFileSync(join(root, 'file'), '');
    expect(thrownBy(() => writePrivate(join(root, 'file', 'x'), ''))).toEqual(localState(/not a folder/));
  });

  it.runIf(IS_REST)('is 0600 and 0700 whatever the umask', async () => {
    const { build } = await import('esbuild');
    const { execFileSync } = await import('node:child_process');
    const script = join(root, 'script.mjs');
    await build({
      stdin: {
        contents: `import { writePrivate } from './src/runtime/files.ts';
          for (const [name, mask] of [['open', 0], ['closed', 0o777], ['usual', 0o022]]) {
            const before = process.umask(name === 'closed' ? 0 : mask);
            writePrivate(process.argv[2] + '/' + name + '/.keep', '');
            process.umask(mask);
            writePrivate(process.argv[2] + '/' + name + '/file', 'x');
            process.umask(before);
          }`,
        resolveDir: join(import.meta.dirname, '..', '..'),
      },
      ...{ bundle: true, platform: 'node', format: 'esm', outfile: script },
    });
    execFileSync(process.execPath, [script, root]);
    for (const name of ['open', 'closed', 'usual']) {
      expect([name, modeOf(join(root, name)), modeOf(join(root, name, 'file'))]).toEqual([
        name,
        '700',
        '600',
      ]);
    }
  });
});

describe('readPrivate', () => {
  const write = (mode: number): string => {
    const path = join(root, "it's a key");
    fs.writeFileSync(path, 'secret');
    fs.chmodSync(path, mode);
    return path;
  };

  it('is null where there is no file, and no folder', () => {
    expect(readPrivate(join(root, 'none'))).toBeNull();
    expect(readPrivate(join(root, 'none', 'none'))).toBeNull();
  });

  it.each([0o600, 0o400, 0o700])('reads a file of mode %o', (mode) => {
    expect(readPrivate(write(mode))?.toString()).toBe('secret');
  });

  const OPEN_MODES = [0o644, 0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o666];
  it.each(OPEN_MODES)('refuses mode %o and says what to type', (mode) => {
    const path = write(mode);
    const error = thrownBy(() => readPrivate(path));
    expect(error).toEqual(localState(/chmod 600 '.*it'\\''s a key'$/));
    expect(error).toMatchObject({ exitCode: 16 });
  });

  it.runIf(IS_REST)('refuses a link, a folder, a named pipe and a device', async () => {
    const { execFileSync } = await import('node:child_process');
    fs.symlinkSync(write(0o600), join(root, 'link'));
    fs.symlinkSync(join(root, 'nowhere'), join(root, 'dangling'));
    execFileSync('mkfifo', ['-m', '600', join(root, 'pipe')]);
    expect(thrownBy(() => readPrivate(join(root, 'link')))).toEqual(localState(/is a link/));
    expect(thrownBy(() => readPrivate(join(root, 'dangling')))).toEqual(localState(/is a link/));
    expect(thrownBy(() => readPrivate(root))).toEqual(localState(/not a regular file/));
    expect(thrownBy(() => readPrivate(join(root, 'pipe')))).toEqual(localState(/not a regular file/));
    expect(thrownBy(() => readPrivate('/dev/null'))).toEqual(localState(/not a regular file/));
  });

  it('refuses the file of another user', () => {
    const path = write(0o600);
    const owner = fs.statSync(path).uid;
    expect(readPrivate(path, owner)?.toString()).toBe('secret');
    expect(thrownBy(() => readPrivate(path, owner + 1))).toEqual(localState(/another user.*chown/));
  });
});

describe('ensurePrivateFolder', () => {
  it.skipIf(!fs.existsSync('/proc/self'))('gives up where a folder is there and can hold none', () => {
    expect(thrownBy(() => ensurePrivateFolder('/proc/self/deep/svc'))).toEqual(
      localState('/proc/self/deep/svc'),
    );
  });

  it('refuses the folder of another user and one shared by design', () => {
    const shared = join(root, 'shared');
    fs.mkdirSync(shared);
    fs.chmodSync(shared, 0o1777);
    const owner = fs.statSync(shared).uid;
    expect(thrownBy(() => ensurePrivateFolder(shared))).toEqual(localState(/shared by everybody/));
    expect(thrownBy(() => ensurePrivateFolder(root, owner + 1))).toEqual(localState(/another user/));
    expect(modeOf(shared)).toBe('1777');
  });
});
