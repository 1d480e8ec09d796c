/** Opens the sandbox for a reset, even when its file can't be used any more. */
import { KEY_PREFIX } from '../contract/access.js';
import { isSound, removeDatabase } from '../runtime/database-file.js';
import { DatabaseUnusable, type DatabaseProblem } from '../runtime/database-unusable.js';
import { withLock } from '../runtime/files.js';
import { openSandbox, type Sandbox, type SandboxOptions } from './sandbox.js';
import { SANDBOX_KIND } from './store/store.js';

/** How long a reset waits for another that replaces the same file. */
const LOCK_WAIT_MS = 10_000;

/** What another file would change nothing about, or what is not ours to remove. */
const STAYING: readonly DatabaseProblem[] = ['foreign', 'linked', 'unwritable', 'full', 'busy'];

/** What a store makes, before any damage. */
const READY_KEY = new RegExp(`^${KEY_PREFIX.sandbox}[0-9a-f]{48}$`);

const RESET = {
  method: 'POST',
  target: '/_control/reset',
  headers: [['host', 'localhost']],
  body: new Uint8Array(),
} as const;

export interface Renewed {
  readonly sandbox: Sandbox;
  /** Why a new file stands in the place of the old one, of which nothing is kept; null where the old one was emptied. */
  readonly replaced: DatabaseUnusable | null;
}

/**
 * The sandbox, emptied: by an ordinary reset, or in a new file where the old one is of a version that this program can't read, or
 * damaged. Not for a file that a running server has.
 * @throws DatabaseUnusable for a file of another program, or one that can't be written; Failure `locked`
 */
export async function openRenewed(options: SandboxOptions): Promise<Renewed> {
  const first = attempt(options);
  if (first.sandbox !== null) return { sandbox: first.sandbox, replaced: null };
  const lock = { clock: options.clock, waitMs: LOCK_WAIT_MS };
  return withLock(`${options.store}.lock`, lock, () => {
    // Another reset may have been here meanwhile.
    const { sandbox, error } = attempt(options);
    if (sandbox !== null) return { sandbox, replaced: null };
    removeDatabase(options.store, SANDBOX_KIND);
    return { sandbox: openSandbox(options), replaced: error };
  });
}

type Attempt =
  | { readonly sandbox: Sandbox; readonly error: null }
  | { readonly sandbox: null; readonly error: DatabaseUnusable };

/** Whatever goes wrong over the file is in the file: it is damaged in a way that SQLite does not see. */
function attempt(options: SandboxOptions): Attempt {
  let sandbox: Sandbox | null = null;
  try {
    sandbox = openSandbox(options);
    const { status } = sandbox.handle(RESET);
    if (status !== 200 || !READY_KEY.test(sandbox.apiKey) || !isSound(options.store, SANDBOX_KIND))
      throw damaged(options.store);
    return { sandbox, error: null };
  } catch (error) {
    sandbox?.close();
    const unusable = error instanceof DatabaseUnusable ? error : damaged(options.store, error);
    if (STAYING.includes(unusable.problem)) throw error;
    return { sandbox: null, error: unusable };
  }
}

function damaged(store: string, cause?: unknown): DatabaseUnusable {
  return new DatabaseUnusable('damaged', SANDBOX_KIND, store, { cause });
}
