/** A print of an API key: tells whether two keys are the same, and nothing else about them, to whoever lacks this machine's salt. */
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../runtime/clock.js';
import { shellPath } from '../runtime/disk.js';
import { Failure } from '../runtime/failure.js';
import { readPrivate, writePrivate } from '../runtime/files.js';
import { withLock } from '../runtime/lock.js';
import type { Paths } from '../runtime/paths.js';
import type { Random } from '../runtime/random.js';

const SALT_BYTES = 32;
const LOCK_WAIT_MS = 5000;

interface Machine {
  readonly paths: Pick<Paths, 'state'>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'hex'>;
}

/**
 * HMAC-SHA-256 of the key under a salt that is made once for this machine and never leaves it; 43 characters of base64url.
 * @throws Failure `local_state` where the salt can't be read or made; `locked` where another process never ends making it
 */
export async function keyPrint(machine: Machine, key: string): Promise<string> {
  return createHmac('sha256', await saltOf(machine))
    .update(key)
    .digest('base64url');
}

/** The salt; of processes that make it at once the first one counts. */
async function saltOf({ paths, clock, random }: Machine): Promise<Buffer> {
  const path = join(paths.state, 'key-print.salt');
  const salt =
    readPrivate(path) ??
    (await withLock(join(paths.state, 'key-print.lock'), { clock, waitMs: LOCK_WAIT_MS }, () => {
      const made = readPrivate(path);
      if (made !== null) return made;
      const fresh = Buffer.from(random.hex(SALT_BYTES), 'hex');
      writePrivate(path, fresh);
      return fresh;
    }));
  if (salt.length === SALT_BYTES) return salt;
  throw new Failure(
    'local_state',
    `${path} is damaged. Nothing was sent. Delete it, and every key is recognised anew by the payments it shows: rm ${shellPath(path)}`,
  );
}
