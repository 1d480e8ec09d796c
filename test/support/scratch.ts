/**
 * Where tests make their folders: in memory where this machine has room there, for thousands of commits that each wait for a disk are most of
 * a run. What is killed is a process and never the machine, so that no test sees the difference. A global setup of vitest.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'svc-tests-';
/** A run takes up to 1 GiB at once. */
const BYTES_NEEDED = 3 * 2 ** 30;

export default function setup(): () => void {
  // Whoever names a folder gets that one.
  const folder = (process.env['TMPDIR'] === undefined ? folderIn(MEMORY) : null) ?? folderIn(tmpdir());
  if (folder === null) throw new Error(`There is no room for tests in ${tmpdir()}.`);
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** A folder of this run; null where there is no room, or where no program may run, as in the memory of a container. */
function folderIn(place: string): string | null {
  const folder = join(place, PREFIX + String(process.pid));
  try {
    removeAbandoned(place);
    const { bavail, bsize } = statfsSync(place);
    if (bavail * bsize < BYTES_NEEDED) return null;
    mkdirSync(folder);
    // As any such folder: tests run as more than one user.
    chmodSync(folder, 0o1777);
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(program);
    return folder;
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return null;
  }
}

/** Those of runs that were killed. */
function removeAbandoned(place: string): void {
  for (const name of readdirSync(place).filter((each) => each.startsWith(PREFIX)))
    try {
      process.kill(Number(name.slice(PREFIX.length)), 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') continue;
      rmSync(join(place, name), { recursive: true, force: true });
    }
}
