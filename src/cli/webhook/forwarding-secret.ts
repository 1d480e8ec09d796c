/** The secret that `forward` and `trigger` sign with: made here, kept here, and never the one that a registered url has. */
import { join } from 'node:path';
import { readPrivate, writePrivate } from '../../runtime/files.js';
import { withLock } from '../../runtime/lock.js';
import type { Ports } from '../../runtime/ports.js';

const SECRET_BYTES = 24;
const LOCK_WAIT_MS = 5000;

/** The same for every run of this user; made where there is none yet. @throws Failure `local_state` or `locked` */
export async function forwardingSecret({ paths, clock, random }: Ports): Promise<string> {
  const file = join(paths.config, 'forwarding-secret');
  const kept = read(file);
  if (kept !== null) return kept;
  return withLock(`${file}.lock`, { clock, waitMs: LOCK_WAIT_MS }, () => {
    const made = read(file) ?? `whsec_${random.hex(SECRET_BYTES)}`;
    writePrivate(file, `${made}\n`);
    return made;
  });
}

/** Null where there is none, or what stands there is none of ours. */
function read(file: string): string | null {
  const text = readPrivate(file)?.toString('utf8').trim() ?? '';
  return /^whsec_[0-9a-f]{48}$/.test(text) ? text : null;
}
