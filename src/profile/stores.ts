/**
 * Where keys are on this machine: its key store, behind an optional library that loads when a secret is needed, the private file, and a
 * file that somebody else provides.
 */
import * as fs from 'node:fs';
import type { Clock } from '../runtime/clock.js';
import { diskFailure, errorCode, type Paths } from '../runtime/folders.js';
import { bufferedPipe } from '../runtime/named-pipe.js';
import { abandonable } from '../runtime/process.js';
import { readFirstBytes } from '../runtime/small-file.js';
import type { KeyFile, KeyReaders } from './choices.js';
import { loadKey } from './keys.js';
import { fileStore, StoreUnavailable, type SecretStore, type SecretStores } from './settings-file.js';

/** The key store and the private file. Nothing is opened before it is asked. */
export function systemStores(paths: Paths, clock: Clock): SecretStores {
  return { keystore: systemKeyStore(clock), file: fileStore(paths, clock) };
}

/** How `resolve` reads keys: a named file as it was provided, a profile's key from its store. */
export function keyReaders(stores: SecretStores): KeyReaders {
  return {
    file: readKeyFile,
    stored: (slot, stored) => loadKey(stores, slot, stored),
  };
}

const SERVICE = 'svc';
/** A store that is locked asks the person; nobody may be there. */
const LIMIT_MS = 3000;

/** What is used of the library. */
export interface KeyringEntry {
  getPassword(signal?: AbortSignal | null): Promise<string | null>;
  setPassword(secret: string, signal?: AbortSignal | null): Promise<void>;
  deleteCredential(signal?: AbortSignal | null): Promise<boolean>;
}
export type OpenEntry = (service: string, account: string) => KeyringEntry;

/** The library's asynchronous entries. On Linux the kernel's keyring is no place for a key: it is empty after a restart. */
async function loadKeyring(): Promise<OpenEntry> {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  return (service, account) => new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
}

/**
 * The machine's key store; every call ends within 3 s.
 * @param load replaced in tests
 * @throws StoreUnavailable from every call where there is no store, no library, a locked store or no answer
 */
export function systemKeyStore(clock: Clock, load: () => Promise<OpenEntry> = loadKeyring): SecretStore {
  // A prompt that nobody answered is not shown a second time, and its thread stays taken.
  let isSilent = false;
  const use = async <T>(
    account: string,
    work: (entry: KeyringEntry, signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const ended = new AbortController();
    const limit = async (): Promise<never> => {
      if (!isSilent) await clock.sleep(LIMIT_MS, ended.signal);
      isSilent = true;
      throw new StoreUnavailable('the key store did not answer within 3 s');
    };
    const answer = async (): Promise<T> => {
      const open = await load();
      return abandonable(work(open(SERVICE, account), ended.signal));
    };
    try {
      return await Promise.race(isSilent ? [limit()] : [answer(), limit()]);
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      throw new StoreUnavailable('there is no key store, or it is locked', { cause: error });
    } finally {
      ended.abort();
    }
  };
  return {
    get: (account) => use(account, (entry, signal) => entry.getPassword(signal)),
    set: (account, secret) => use(account, (entry, signal) => entry.setPassword(secret, signal)),
    delete: (account) =>
      use(account, async (entry, signal) => {
        await entry.deleteCredential(signal);
      }),
  };
}

const READABLE_BY_OTHERS = 0o044;
/** Longer than any key; what is longer is refused as no key, and need not be read to its end. */
const MAX_BYTES = 4096;

/**
 * The text of a key file, whatever its owner and mode, links and pipes included; null where there is none.
 * @throws Failure `local_state` where it cannot be read
 */
export function readKeyFile(path: string): KeyFile | null {
  const pipe = bufferedPipe(path);
  if (pipe !== null) return { text: pipe.toString('utf8', 0, MAX_BYTES), isShared: false };
  try {
    const file = fs.openSync(path, 'r');
    try {
      const stats = fs.fstatSync(file);
      return {
        text: readFirstBytes(file, MAX_BYTES).toString('utf8'),
        isShared: stats.isFile() && (stats.mode & READABLE_BY_OTHERS) !== 0,
      };
    } finally {
      fs.closeSync(file);
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw diskFailure('read', path, error);
  }
}
