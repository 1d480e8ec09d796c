import { KEY_PREFIX } from '../contract/access.js';
import { isSound, removeDatabase } from '../runtime/database-file.js';
import { DatabaseUnusable, type DatabaseProblem } from '../runtime/database-unusable.js';
import { withLock } from '../runtime/files.js';
import { controlRequest } from './message.js';
import { openSandbox, type Sandbox, type SandboxOptions } from './sandbox.js';
import { SANDBOX_KIND } from './store/store.js';

const LOCK_WAIT_MS = 10_000;

const FATAL_PROBLEMS: readonly DatabaseProblem[] = ['foreign', 'linked', 'unwritable', 'full', 'busy'];

const READY_KEY_FORM = new RegExp(`^${KEY_PREFIX.sandbox}[0-9a-f]{48}$`);

/** Call it only while no server uses the file, because a damaged file is removed. */
export async function openForReset(options: SandboxOptions) {
  const firstTry = tryReset(options);
  if (firstTry.sandbox !== null) return { sandbox: firstTry.sandbox, replacementReason: null };
  const lock = { clock: options.clock, waitMs: LOCK_WAIT_MS };
  return withLock(`${options.store}.lock`, lock, () => {
    // Another reset may have replaced the file while this reset waited for the lock.
    const { sandbox, error } = tryReset(options);
    if (sandbox !== null) return { sandbox, replacementReason: null };
    removeDatabase(options.store, SANDBOX_KIND);
    return { sandbox: openSandbox(options), replacementReason: error };
  });
}

function tryReset(options: SandboxOptions) {
  let sandbox: Sandbox | null = null;
  try {
    sandbox = openSandbox(options);
    const { status } = sandbox.handle(controlRequest('POST', 'reset', new Uint8Array()));
    if (status !== 200 || !READY_KEY_FORM.test(sandbox.apiKey) || !isSound(options.store, SANDBOX_KIND))
      throw damagedError(options.store);
    return { sandbox, error: null };
  } catch (error) {
    sandbox?.close();
    const unusable = error instanceof DatabaseUnusable ? error : damagedError(options.store, error);
    if (FATAL_PROBLEMS.includes(unusable.problem)) throw error;
    return { sandbox: null, error: unusable };
  }
}

const damagedError = (store: string, cause?: unknown): DatabaseUnusable =>
  new DatabaseUnusable('damaged', SANDBOX_KIND, store, { cause });
