/**
 * A place that keeps secrets by name: the key store of the operating system is one; the other, for machines without one, is the private
 * file here.
 */
import { join } from 'node:path';
import type { Clock } from '../runtime/clock.js';
import { shellPath } from '../runtime/disk.js';
import { Failure } from '../runtime/failure.js';
import { readPrivate, writePrivate } from '../runtime/files.js';
import { withLock } from '../runtime/lock.js';
import type { Paths } from '../runtime/folders.js';

export interface SecretStore {
  /** The secret, or null where there is none by that name. */
  get(account: string): Promise<string | null>;
  set(account: string, secret: string): Promise<void>;
  /** Deleting what is not there is no error. */
  delete(account: string): Promise<void>;
}

/** Thrown by a store that is not there, is locked, or did not answer in time. The message never holds a secret. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** The two places, and which comes first: the key store wherever there is one. */
export interface SecretStores {
  readonly keystore: SecretStore;
  readonly file: SecretStore;
}

const LOCK_WAIT_MS = 5000;

type Secrets = Readonly<Record<string, string>>;

/** Where the file stands. */
export function secretFilePath(paths: Paths): string {
  return join(paths.config, 'keys.json');
}

/**
 * The private file as a store; writers take turns.
 * @throws Failure `local_state` from every call where others can read the file, or it is damaged; `locked` where a writer never ends
 */
export function fileStore(paths: Paths, clock: Clock): SecretStore {
  const path = secretFilePath(paths);
  const change = (work: (secrets: Secrets) => Secrets): Promise<void> =>
    withLock(join(paths.config, 'keys.lock'), { clock, waitMs: LOCK_WAIT_MS }, () => {
      writePrivate(path, `${JSON.stringify({ secrets: work(readSecrets(path)) }, null, 1)}\n`);
    });
  return {
    get: async (account) => Promise.resolve(secretOf(readSecrets(path), account)),
    set: (account, secret) => change((secrets) => ({ ...secrets, [account]: secret })),
    delete: async (account) => {
      if (secretOf(readSecrets(path), account) === null) return;
      await change((secrets) =>
        Object.fromEntries(Object.entries(secrets).filter(([name]) => name !== account)),
      );
    },
  };
}

function secretOf(secrets: Secrets, account: string): string | null {
  return Object.hasOwn(secrets, account) ? (secrets[account] ?? null) : null;
}

function readSecrets(path: string): Secrets {
  const bytes = readPrivate(path);
  if (bytes === null) return {};
  const secrets = parse(bytes.toString('utf8'));
  if (secrets !== null) return secrets;
  throw new Failure(
    'local_state',
    `The keys in ${path} are damaged. Nothing was sent. Delete the file and store the keys again: rm ${shellPath(path)}`,
  );
}

/** The parser's own message would repeat a piece of the file, and with it a piece of a key. */
function parse(text: string): Secrets | null {
  try {
    const { secrets } = JSON.parse(text) as { secrets: unknown };
    if (typeof secrets !== 'object' || secrets === null) return null;
    return Object.values(secrets).every((secret) => typeof secret === 'string') ? (secrets as Secrets) : null;
  } catch {
    return null;
  }
}
