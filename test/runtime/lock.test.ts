import * as fs from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../src/runtime/clock.js';
import { isLocked, withLock } from '../../src/runtime/files.js';
import { testFolder } from '../support/test-folder.js';

let root: string;
beforeEach(() => (root = testFolder()));

const HOLDER = `
  const { DatabaseSync } = require('node:sqlite');
  new DatabaseSync(process.argv[1]).exec('BEGIN EXCLUSIVE');
  process.stdout.write('held');
  setInterval(() => {}, 1000);`;

describe('withLock', () => {
  it('refuses a link in the place of its file, and leaves what that names alone', async () => {
    const path = join(root, 'lock');
    fs.writeFileSync(join(root, 'target'), '');
    fs.symlinkSync(join(root, 'target'), path);
    const held = withLock(path, { clock: systemClock, waitMs: 0 }, () => 'held');
    await expect(held).rejects.toMatchObject({ kind: 'local_state', exitCode: 16 });
    await expect(isLocked(path)).rejects.toMatchObject({ kind: 'local_state', exitCode: 16 });
    expect(fs.readdirSync(root).sort()).toEqual(['lock', 'target']);
  });

  it('runs one at a time, so that no change is lost', async () => {
    const path = join(root, 'lock');
    let counter = 0;
    const increment = async (): Promise<void> => {
      const before = counter;
      await Promise.resolve();
      await systemClock.sleep(1);
      counter = before + 1;
    };
    await Promise.all(
      Array.from({ length: 8 }, () => withLock(path, { clock: systemClock, waitMs: 10_000 }, increment)),
    );
    expect(counter).toBe(8);
    expect((fs.statSync(path).mode & 0o777).toString(8)).toBe('600');
  });

  it('gives the result back and is free again after an error', async () => {
    const options = { clock: systemClock, waitMs: 0 };
    const path = join(root, 'lock');
    await expect(withLock(path, options, () => Promise.reject(new Error('inside')))).rejects.toThrow(
      'inside',
    );
    await expect(withLock(path, options, () => 'result')).resolves.toBe('result');
  });

  it('waits for another process until the limit, and is free as soon as that is killed', async () => {
    const path = join(root, 'lock');
    await withLock(path, { clock: systemClock, waitMs: 0 }, () => null);
    const holder = spawn(process.execPath, ['--no-warnings', '-e', HOLDER, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');

    let now = 0;
    const clock: Clock = {
      ...systemClock,
      monotonic: () => now,
      sleep: (ms) => Promise.resolve(void (now += ms)),
    };
    await expect(withLock(path, { clock, waitMs: 5000 }, () => null)).rejects.toMatchObject({
      kind: 'locked',
      exitCode: 15,
    });
    expect(now).toBeGreaterThanOrEqual(5000);

    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await expect(withLock(path, { clock, waitMs: 0 }, () => 'mine')).resolves.toBe('mine');
  });

  it('refuses a file that is no lock', async () => {
    const path = join(root, 'lock');
    fs.writeFileSync(path, 'something else entirely, longer than a header '.repeat(40), { mode: 0o600 });
    const attempt = withLock(path, { clock: systemClock, waitMs: 0 }, () => null);
    await expect(attempt).rejects.toMatchObject({ kind: 'local_state' });
  });
});
