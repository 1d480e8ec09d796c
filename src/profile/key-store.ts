/** The key store of the operating system, behind an optional library that loads when a secret is needed. */
import type { Clock } from '../runtime/clock.js';
import { StoreUnavailable, type SecretStore } from './secret-store.js';

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
  const use = async <T>(
    account: string,
    work: (entry: KeyringEntry, signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const ended = new AbortController();
    const limit = async (): Promise<never> => {
      await clock.sleep(LIMIT_MS, ended.signal);
      throw new StoreUnavailable('the key store did not answer within 3 s');
    };
    const answer = async (): Promise<T> => {
      const open = await load();
      return work(open(SERVICE, account), ended.signal);
    };
    try {
      return await Promise.race([answer(), limit()]);
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
