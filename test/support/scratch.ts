/**
 * Temporary folders are in memory if there is room, because thousands of commits would wait for a disk. A test kills processes, never the
 * machine, so no test sees the difference.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'svc-tests-';
const BYTES_NEEDED = 3 * 2 ** 30;

export default function setup(): () => void {
  const folder = (process.env['TMPDIR'] === undefined ? folderIn(MEMORY) : null) ?? folderIn(tmpdir());
  if (folder === null) throw new Error(`There is no room for tests in ${tmpdir()}.`);
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Null if the place has no room or may run no program. */
function folderIn(place: string): string | null {
  const folder = join(place, PREFIX + String(process.pid));
  try {
    removeAbandoned(place);
    const { bavail, bsize } = statfsSync(place);
    if (bavail * bsize < BYTES_NEEDED) return null;
    mkdirSync(folder);
    // Tests run as more than one user.
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

function removeAbandoned(place: string): void {
  for (const name of readdirSync(place).filter((each) => each.startsWith(PREFIX)))
    try {
      process.kill(Number(name.slice(PREFIX.length)), 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') continue;
      rmSync(join(place, name), { recursive: true, force: true });
    }
}
