import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../src/session/settings-file.js';
import { readKeyFile, systemKeyStore } from '../../src/session/key-stores.js';
import type { KeyringEntry, OpenEntry } from '../../src/session/key-stores.js';
import type { Clock } from '../../src/runtime/clock.js';
import { testFolder } from '../support/test-folder.js';

function handClock(): Clock & { readonly asked: number[]; elapse(): void; readonly open: () => number } {
  const asked: number[] = [];
  const waiting = new Set<() => void>();
  return {
    asked,
    open: () => waiting.size,
    elapse: () => {
      for (const end of waiting) end();
    },
    now: () => 0,
    monotonic: () => 0,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        asked.push(ms);
        waiting.add(resolve);
        signal?.addEventListener('abort', () => {
          waiting.delete(resolve);
          reject(signal.reason as Error);
        });
      }),
  };
}

const entry = (override: Partial<KeyringEntry>): (() => Promise<OpenEntry>) => {
  const base: KeyringEntry = {
    getPassword: () => Promise.resolve('secret'),
    setPassword: () => Promise.resolve(),
    deleteCredential: () => Promise.resolve(false),
  };
  return () => Promise.resolve(() => ({ ...base, ...override }));
};

describe('systemKeyStore', () => {
  it('keeps, finds and deletes by account', async () => {
    const held = new Map<string, string>();
    const load = (): Promise<OpenEntry> =>
      Promise.resolve((service, account) => ({
        getPassword: () => Promise.resolve(held.get(`${service}/${account}`) ?? null),
        setPassword: (secret) => Promise.resolve(void held.set(`${service}/${account}`, secret)),
        deleteCredential: () => Promise.resolve(held.delete(`${service}/${account}`)),
      }));
    const store = systemKeyStore(handClock(), load);
    await store.set('acme', 'one');
    expect([await store.get('acme'), await store.get('other')]).toEqual(['one', null]);
    expect([...held.keys()]).toEqual(['svc/acme']);
    await store.delete('acme');
    await store.delete('acme');
    expect(held.size).toBe(0);
  });

  it('gives up after 3 s, and asks the library to stop', async () => {
    const clock = handClock();
    let signal: AbortSignal | null | undefined;
    const getPassword = (given?: AbortSignal | null): Promise<never> => {
      signal = given;
      clock.elapse();
      return new Promise(() => undefined);
    };
    await expect(systemKeyStore(clock, entry({ getPassword })).get('a')).rejects.toThrow(
      /did not answer within 3 s/,
    );
    expect(clock.asked).toEqual([3000]);
    expect(signal?.aborted).toBe(true);
  });

  it('leaves no timer behind', async () => {
    const clock = handClock();
    await systemKeyStore(clock, entry({})).get('a');
    expect(clock.asked).toEqual([3000]);
    expect(clock.open()).toBe(0);
  });

  it.each<[string, () => Promise<OpenEntry>]>([
    ['the library is not installed', () => Promise.reject(new Error('Cannot find module'))],
    [
      'opening throws',
      () =>
        Promise.resolve(() => {
          throw new Error('DBus');
        }),
    ],
    ['the call is refused', entry({ getPassword: () => Promise.reject(new Error('locked')) })],
  ])('is unavailable where %s', async (_name, load) => {
    await expect(systemKeyStore(handClock(), load).get('a')).rejects.toBeInstanceOf(StoreUnavailable);
  });
});

const folder = testFolder();

function file(name: string, mode: number, text = 'svc_test_abc\n'): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe('a key file', () => {
  const ALONE = [0o600, 0o400, 0o622];
  it.each([...ALONE, 0o640, 0o644, 0o444, 0o604])('of mode %o is read, and known to be shared', (mode) => {
    const isShared = !ALONE.includes(mode);
    expect(readKeyFile(file(`mode-${mode}`, mode))).toEqual({ text: 'svc_test_abc\n', isShared });
  });

  it('is read through links, as they stand in /run/secrets', () => {
    mkdirSync(join(folder, '..data'));
    file('..data/key', 0o444);
    symlinkSync('..data/key', join(folder, 'key'));
    symlinkSync('key', join(folder, 'key-of-key'));
    expect(readKeyFile(join(folder, 'key-of-key'))).toEqual({ text: 'svc_test_abc\n', isShared: true });
  });

  it('may be a pipe, as in <(pass show key)', () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', ['-m', '644', path]);
    spawn('sh', ['-c', 'printf svc_test_piped > "$0"', path], { stdio: 'ignore' });
    expect(readKeyFile(path)).toEqual({ text: 'svc_test_piped', isShared: false });
  });

  it('is not there', () => expect(readKeyFile(join(folder, 'nothing'))).toBeNull());

  it('is read no further than a key can reach', () => {
    expect(readKeyFile(file('long', 0o600, 'x'.repeat(100_000)))?.text).toHaveLength(4096);
  });

  it('that is a folder is local state', () => {
    expect(() => readKeyFile(folder)).toThrow(expect.objectContaining({ kind: 'local_state' }) as Error);
  });
});
