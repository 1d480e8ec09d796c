import * as fs from 'node:fs';
import type { Clock } from '../runtime/clock.js';
import { diskFailure, errorCode, type Paths } from '../runtime/folders.js';
import { bufferedPipe } from '../runtime/named-pipe.js';
import { trackLibraryCall } from '../runtime/process.js';
import { readFirstBytes } from '../runtime/small-file.js';
import type { KeyFile, KeyReaders } from './choices.js';
import { loadKey } from './keys.js';
import { fileStore, StoreUnavailable, type SecretStore, type SecretStores } from './settings-file.js';

export function systemStores(paths: Paths, clock: Clock): SecretStores {
  return { keystore: systemKeyStore(clock), file: fileStore(paths, clock) };
}

export function keyReaders(stores: SecretStores): KeyReaders {
  return {
    file: readKeyFile,
    stored: (slot, stored) => loadKey(stores, slot, stored),
  };
}

const KEYRING_SERVICE = 'svc';
/** A call has a limit, because a locked key store may show a prompt that nobody answers. */
const CALL_LIMIT_MS = 3000;

export interface KeyringEntry {
  getPassword(signal?: AbortSignal | null): Promise<string | null>;
  setPassword(secret: string, signal?: AbortSignal | null): Promise<void>;
  deleteCredential(signal?: AbortSignal | null): Promise<boolean>;
}
export type OpenEntry = (service: string, account: string) => KeyringEntry;

/** On Linux `secret-service` is used, because the kernel's keyring is empty after a restart. */
async function loadKeyring(): Promise<OpenEntry> {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  return (service, account) => new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
}

export function systemKeyStore(clock: Clock, loadEntry: () => Promise<OpenEntry> = loadKeyring): SecretStore {
  let isUnanswered = false;
  const callWithLimit = async <T>(
    account: string,
    work: (entry: KeyringEntry, signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const callEnd = new AbortController();
    const failAtLimit = async (): Promise<never> => {
      if (!isUnanswered) await clock.sleep(CALL_LIMIT_MS, callEnd.signal);
      isUnanswered = true;
      throw new StoreUnavailable('the key store did not answer within 3 s');
    };
    const callKeyStore = async (): Promise<T> => {
      const openEntry = await loadEntry();
      return trackLibraryCall(work(openEntry(KEYRING_SERVICE, account), callEnd.signal));
    };
    try {
      return await Promise.race(isUnanswered ? [failAtLimit()] : [callKeyStore(), failAtLimit()]);
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      throw new StoreUnavailable('there is no key store, or it is locked', { cause: error });
    } finally {
      callEnd.abort();
    }
  };
  return {
    get: (account) => callWithLimit(account, (entry, signal) => entry.getPassword(signal)),
    set: (account, secret) => callWithLimit(account, (entry, signal) => entry.setPassword(secret, signal)),
    delete: (account) =>
      callWithLimit(account, async (entry, signal) => {
        await entry.deleteCredential(signal);
      }),
  };
}

const READABLE_BY_OTHERS = 0o044;
const KEY_FILE_MAX_BYTES = 4096;

export function readKeyFile(path: string): KeyFile | null {
  const pipe = bufferedPipe(path);
  if (pipe !== null) return { text: pipe.toString('utf8', 0, KEY_FILE_MAX_BYTES), isShared: false };
  try {
    const file = fs.openSync(path, 'r');
    try {
      const stats = fs.fstatSync(file);
      return {
        text: readFirstBytes(file, KEY_FILE_MAX_BYTES).toString('utf8'),
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
