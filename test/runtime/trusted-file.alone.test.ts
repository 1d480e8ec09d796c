import * as fs from 'node:fs';
import disk from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTrusted } from '../../src/runtime/trusted-file.js';
import { testFolder } from '../support/test-folder.js';

const { readSync, openSync } = disk;
let folder: string;
let path: string;
beforeEach(() => {
  folder = testFolder();
  path = join(folder, 'policy.json');
  fs.writeFileSync(path, 'before');
});
afterEach(restore);

function restore(): void {
  Object.assign(disk, { readSync, openSync });
  syncBuiltinESMExports();
}

function beforeReading(work: (time: number) => void): void {
  let time = 0;
  disk.readSync = ((...given: Parameters<typeof readSync>) => {
    time += 1;
    work(time);
    return readSync(...given);
  }) as typeof readSync;
  syncBuiltinESMExports();
}

const replace = (text: string): void => {
  fs.writeFileSync(`${path}.new`, text);
  fs.renameSync(`${path}.new`, path);
};
const read = () => {
  const found = readTrusted(path, { maxBytes: 1024 });
  return found.kind === 'bytes' ? Buffer.from(found.bytes).toString() : found;
};

describe.skipIf(process.getuid?.() !== 0)('while it is read (as root)', () => {
  it('is the old file where another one took its place', () => {
    beforeReading((time) => {
      if (time === 1) replace('after');
    });
    expect(['before', 'after']).toContain(read());
  });

  it('is read again where it was written, and is whole then', () => {
    beforeReading((time) => {
      if (time === 1) fs.writeFileSync(path, 'after, and longer');
    });
    expect(read()).toBe('after, and longer');
  });

  it('is not half of one and half of another where that has the same length', () => {
    // A clock that counts milliseconds would not tell the two writes apart.
    fs.utimesSync(path, 1, 1);
    let time = 0;
    disk.readSync = ((file: number, bytes: Buffer, at: number) => {
      time += 1;
      if (time === 2) fs.writeFileSync(path, 'BEFORE');
      return readSync(file, bytes, at, 1, null);
    }) as typeof readSync;
    syncBuiltinESMExports();
    expect(read()).toBe('BEFORE');
  });

  it('is not read where that goes on', () => {
    beforeReading((time) => fs.writeFileSync(path, `version ${String(time)} `.repeat(time)));
    expect(read()).toEqual({ kind: 'unreadable', why: `${path} changes while it is read.` });
  });

  it('is looked at again where it went between the look and the opening', () => {
    let times = 0;
    disk.openSync = (...given: Parameters<typeof openSync>) => {
      times += 1;
      if (times === 1) replace('after');
      return openSync(...given);
    };
    syncBuiltinESMExports();
    expect(read()).toBe('after');
  });

  it('is no link that took its place between the look and the opening', () => {
    const other = join(folder, 'other');
    fs.writeFileSync(other, 'other');
    disk.openSync = (...given: Parameters<typeof openSync>) => {
      if (given[0] === path) {
        fs.rmSync(path);
        fs.symlinkSync('nowhere', path);
      }
      return openSync(...given);
    };
    syncBuiltinESMExports();
    expect(read()).toEqual({
      kind: 'unreadable',
      why: `${path} is a link that leads to ${join(folder, 'nowhere')}, which is not there.`,
    });
  });

  it('is no file where a folder took its place', () => {
    disk.openSync = (...given: Parameters<typeof openSync>) => {
      fs.renameSync(path, `${path}.old`);
      fs.mkdirSync(path);
      return openSync(...given);
    };
    syncBuiltinESMExports();
    expect(read()).toEqual({ kind: 'untrusted', why: `${path} is not a regular file.` });
  });
});
