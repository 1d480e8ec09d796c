/** Named pipes among the files that a command line and its variables give. Whatever reads them later does so at once, where no signal is heard. */
import { diskFailure } from '../../runtime/disk.js';
import { holdNamedPipe } from '../../runtime/named-pipe.js';
import type { Ports } from '../../runtime/ports.js';

const VARIABLES = [
  'SVC_API_KEY_FILE',
  'SVC_STATE_FILE',
  'SVC_STATE_PASSWORD_FILE',
  'SVC_STATE_KEY_FILE',
  'SVC_INTO_PASSWORD_FILE',
];
const FLAGS = ['ca-file', 'secret-file', 'data-file'];
/** A body has at most 1 MiB, and so have the certificates of all the world; one more shows what is too long. */
const MAX_BYTES = 1024 * 1024 + 1;

/** Reads them; nothing is done where none is given. @throws Stopped; Failure `local_state` */
export async function holdGivenPipes(
  { env, signal }: Pick<Ports, 'env' | 'signal'>,
  flags: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { data } = flags;
  const given = [...VARIABLES.map((name) => env[name]), ...FLAGS.map((name) => flags[name])];
  if (typeof data === 'string' && data.startsWith('@')) given.push(data.slice(1));
  for (const path of given) {
    if (typeof path !== 'string' || path === '') continue;
    await holdNamedPipe(path, MAX_BYTES, signal).catch((error: unknown) => {
      throw diskFailure('read', path, error);
    });
  }
}
