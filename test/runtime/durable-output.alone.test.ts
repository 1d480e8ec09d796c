import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { coalesceSyncs, fileSyncOf, outputOf } from '../../src/runtime/streams.js';
import { testFolder } from '../support/test-folder.js';

const NOBODY = 65_534;
const HAS_PATHS = process.platform === 'linux';

function opened(
  flags = 'w',
  { fails = {}, name = 'out.json' }: { fails?: Record<string, string>; name?: string } = {},
) {
  const folder = testFolder();
  const path = join(folder, name);
  const descriptor = fs.openSync(path, flags);
  onTestFinished(() => fs.closeSync(descriptor));
  const synced: string[] = [];
  const sync = fileSyncOf(descriptor, (one) => {
    const isFolder = fs.fstatSync(one).isDirectory();
    const what = one === descriptor ? 'file' : fs.readlinkSync(`/proc/self/fd/${one}`);
    const code = fails[isFolder ? 'folder' : 'file'];
    if (code !== undefined) return Promise.reject(Object.assign(new Error('raw'), { code }));
    synced.push(what);
    return Promise.resolve();
  });
  return { descriptor, folder, path, synced, sync };
}

describe.runIf(HAS_PATHS)('a file', () => {
  it.each(['w', 'a', 'r+'])('opened with %s is synced each time, and its folder once', async (flags) => {
    const first = opened('w');
    const descriptor = fs.openSync(first.path, flags);
    fs.writeSync(descriptor, 'x');
    await first.sync();
    await first.sync();
    fs.closeSync(descriptor);
    expect(first.synced).toEqual(['file', first.folder, 'file']);
  });

  it('that was not empty has its folder synced too: a run that was cut may have made it', async () => {
    const { descriptor, sync, synced, folder } = opened('a');
    fs.writeSync(descriptor, 'of a run before');
    await sync();
    expect(synced).toEqual(['file', folder]);
  });

  it('that was renamed has its name where it is now', async () => {
    const { path, sync, synced } = opened();
    const elsewhere = testFolder();
    fs.renameSync(path, join(elsewhere, 'other'));
    await sync();
    expect(synced).toEqual(['file', elsewhere]);
  });

  it.each([
    ['was removed', (path: string) => fs.rmSync(path)],
    [
      'was replaced by another',
      (path: string) => {
        fs.rmSync(path);
        fs.closeSync(fs.openSync(`${path} (deleted)`, 'w'));
      },
    ],
  ])('that %s has no name', async (_what, change) => {
    const { path, sync, synced } = opened();
    change(path);
    await sync();
    expect(synced).toEqual(['file']);
  });

  it('of two names, and of a name that is no UTF-8, has its folder synced', async () => {
    const { path, sync, synced, folder } = opened();
    fs.linkSync(path, join(folder, 'second'));
    await sync();
    expect(synced).toEqual(['file', folder]);
    const below = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]);
    fs.mkdirSync(below);
    const descriptor = fs.openSync(Buffer.concat([below, Buffer.from('/x')]), 'w');
    const other: number[] = [];
    await fileSyncOf(descriptor, (one) => {
      other.push(fs.fstatSync(one).ino);
      return Promise.resolve();
    })();
    const { ino } = fs.fstatSync(descriptor);
    fs.closeSync(descriptor);
    expect(other).toEqual([ino, statOf(below)]);
  });

  it('in a folder that may not be read is synced alone', async () => {
    const { folder, path, sync, synced } = opened();
    fs.chownSync(folder, process.geteuid!(), process.getegid!());
    fs.chmodSync(folder, 0o311);
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(NOBODY);
    try {
      await sync();
    } finally {
      if (isRoot) process.seteuid?.(0);
      fs.chmodSync(folder, 0o700);
    }
    expect(path.startsWith(folder)).toBe(true);
    expect(synced).toEqual(['file']);
  });

  it('on a file system that syncs no folders is synced alone', async () => {
    const { sync, synced } = opened('w', { fails: { folder: 'EINVAL' } });
    await sync();
    expect(synced).toEqual(['file']);
  });

  it.each([
    ['file', 'EIO', 'The disk reports an error.'],
    ['file', 'ENOSPC', 'The disk is full'],
    ['file', 'EINVAL', 'The system reported EINVAL.'],
    ['folder', 'EIO', 'The disk reports an error.'],
  ])('whose %s can not be synced (%s) ends in an error of the disk', async (what, code, text) => {
    const { sync } = opened('w', { fails: { [what]: code } });
    await expect(sync()).rejects.toMatchObject({
      kind: 'local_state',
      message: expect.stringContaining(`Standard output could not be written to the disk. ${text}`) as string,
    });
  });

  it('is synced for certain by the disk that is there', async () => {
    const { descriptor } = opened();
    fs.writeSync(descriptor, 'x');
    await expect(fileSyncOf(descriptor)()).resolves.toBeUndefined();
  });
});

const statOf = (path: Buffer): number => {
  const descriptor = fs.openSync(path, 'r');
  const { ino } = fs.fstatSync(descriptor);
  fs.closeSync(descriptor);
  return ino;
};

it('what is no file is never synced: a device, a pipe', async () => {
  const child = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
  const pipe = (child.stdin as unknown as { _handle: { fd: number } })._handle.fd;
  const device = fs.openSync('/dev/null', 'w');
  const synced: number[] = [];
  for (const descriptor of [device, pipe])
    await fileSyncOf(descriptor, (one) => Promise.resolve(void synced.push(one)))();
  fs.closeSync(device);
  child.stdin.end();
  expect(synced).toEqual([]);
});

describe('who relies on what was written', () => {
  function slow() {
    const begun: ReturnType<typeof Promise.withResolvers<undefined>>[] = [];
    const sync = (): Promise<void> => {
      const one = Promise.withResolvers<undefined>();
      begun.push(one);
      return one.promise;
    };
    return { begun, ...coalesceSyncs(sync) };
  }
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('waits for no sync where nothing was written since', async () => {
    const { begun, noteWrite, durable } = slow();
    await durable();
    noteWrite();
    const first = durable();
    await turn();
    begun[0]!.resolve(undefined);
    await first;
    await durable();
    expect(begun).toHaveLength(1);
  });

  it('shares the next sync with all who wrote while one runs', async () => {
    const { begun, noteWrite, durable } = slow();
    let done = 0;
    const one = (): void => {
      noteWrite();
      void durable().then(() => (done += 1));
    };
    one();
    await turn();
    for (let count = 0; count < 10; count += 1) one();
    await turn();
    expect([begun.length, done]).toEqual([1, 0]);
    begun[0]!.resolve(undefined);
    await turn();
    expect([begun.length, done]).toEqual([2, 1]);
    begun[1]!.resolve(undefined);
    await turn();
    expect([begun.length, done]).toEqual([2, 11]);
  });

  it('is told for ever after a sync that failed: the next one would find nothing to do', async () => {
    const { begun, noteWrite, durable } = slow();
    noteWrite();
    const first = durable();
    await turn();
    begun[0]!.reject(new Error('lost'));
    await expect(first).rejects.toThrow('lost');
    noteWrite();
    await expect(durable()).rejects.toThrow('lost');
    await expect(durable()).rejects.toThrow('lost');
    expect(begun).toHaveLength(1);
  });

  it('is one whose write went through, and wrote something', async () => {
    let syncs = 0;
    const sync = (): Promise<void> => Promise.resolve(void (syncs += 1));
    const failing = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('raw'), { code: 'ENOSPC' })),
    });
    const full = outputOf(failing, sync);
    await expect(full.write('x')).rejects.toMatchObject({ kind: 'local_state' });
    await full.durable();
    const good = outputOf(new Writable({ write: (_chunk, _encoding, done) => done() }), sync);
    await good.write('');
    await good.durable();
    expect(syncs).toBe(0);
    await good.write('x');
    await good.durable();
    expect(syncs).toBe(1);
  });
});
