/** A key file is taken as it was provided: an orchestrator's links and modes included. */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readKeyFile } from '../../src/profile/key-file.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-key-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, mode: number, text = 'svc_test_abc\n'): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe('a key file', () => {
  it.each([
    [0o600, false],
    [0o400, false],
    [0o640, true],
    [0o644, true],
    [0o444, true],
    [0o604, true],
    [0o622, false],
  ])('of mode %o is read; shared: %s', (mode, isShared) => {
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

  it('is not there', () => {
    expect(readKeyFile(join(folder, 'nothing'))).toBeNull();
  });

  it('is read no further than a key can reach', () => {
    expect(readKeyFile(file('long', 0o600, 'x'.repeat(100_000)))?.text).toHaveLength(4096);
  });

  it('that is a folder is local state', () => {
    expect(() => readKeyFile(folder)).toThrow(expect.objectContaining({ kind: 'local_state' }) as Error);
  });
});
