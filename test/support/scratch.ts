/**
 * Where tests make their folders: in memory where this machine has room there, for thousands of commits that each wait for a disk are most of
 * a run. What is killed is a process and never the machine, so that no test sees the difference. A global setup of vitest.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'svc-tests-';
/** A run takes up to 1 GiB at once. */
const BYTES_NEEDED = 3 * 2 ** 30;

export default function setup(): (() => void) | undefined {
  // Whoever names a folder gets that one.
  if (process.env['TMPDIR'] !== undefined) return undefined;
  const folder = join(MEMORY, PREFIX + String(process.pid));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    removeAbandoned();
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < BYTES_NEEDED) return undefined;
    mkdirSync(folder);
    // As any such folder: tests run as more than one user.
    chmodSync(folder, 0o1777);
    // Containers have a place in memory from which no program may run.
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(program);
  } catch {
    remove();
    return undefined;
  }
  process.env['TMPDIR'] = folder;
  return remove;
}

/** Those of runs that were killed. */
function removeAbandoned(): void {
  for (const name of readdirSync(MEMORY).filter((each) => each.startsWith(PREFIX)))
    try {
      process.kill(Number(name.slice(PREFIX.length)), 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') continue;
      rmSync(join(MEMORY, name), { recursive: true, force: true });
    }
}
