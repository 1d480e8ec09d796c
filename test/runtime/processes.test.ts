import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { systemProcesses } from '../../src/runtime/processes.js';

const { self, isAlive } = systemProcesses;

it('this process has one name, and lives', () => {
  expect(self()).toEqual({ ...self(), pid: process.pid });
  expect(self().machine).not.toBe('');
  expect(isAlive(self())).toBe(process.platform === 'linux' ? true : null);
});

describe.skipIf(process.platform !== 'linux')('another process', () => {
  const nobody = 2 ** 22 + 1;

  it('with its number, and another beginning, is another one: the first is dead', () => {
    expect(isAlive({ ...self(), started: String(Number(self().started) + 1) })).toBe(false);
    expect(isAlive({ ...self(), bootId: 'another' })).toBe(false);
    expect(isAlive({ ...self(), pid: nobody })).toBe(false);
  });

  it('of another machine, or of one that does not say when it began, may live', () => {
    expect(isAlive({ ...self(), machine: 'another' })).toBeNull();
    expect(isAlive({ ...self(), machine: 'another', pid: nobody })).toBeNull();
    expect(isAlive({ ...self(), started: '' })).toBeNull();
    expect(isAlive({ ...self(), started: '', pid: nobody })).toBe(false);
  });

  it('lives until it is killed, also where nobody has taken its end', async () => {
    const program = 'process.title = ") a (b) 1"; console.log("up"); setInterval(() => undefined, 1000)';
    const child = spawn(process.execPath, ['-e', program]);
    await once(child.stdout, 'data');
    const pid = child.pid ?? 0;
    const stat =
      readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
        .split(') ')
        .at(-1) ?? '';
    const name = { ...self(), pid, started: stat.split(' ')[19] ?? '' };
    expect(isAlive(name)).toBe(true);
    child.kill('SIGKILL');
    // The kernel keeps the entry of the process until Node has fetched its exit code.
    const ended = once(child, 'exit');
    for (let turn = 0; turn < 1_000_000 && isAlive(name) === true; turn += 1);
    expect(isAlive(name)).toBe(false);
    await ended;
    expect(isAlive(name)).toBe(false);
  });
});
