import { join } from 'node:path';
import { expect } from 'vitest';
import { fileStore, StoreUnavailable } from '../../src/session/settings-file.js';
import type { SecretStore, ProfileStores } from '../../src/session/settings-file.js';
import { systemClock } from '../../src/runtime/clock.js';
import { Failure } from '../../src/runtime/failure.js';
import { testFolder } from '../support/test-folder.js';

export function memoryStore(
  held = new Map<string, string>(),
): SecretStore & { readonly held: Map<string, string> } {
  return {
    held,
    get: (account) => Promise.resolve(held.get(account) ?? null),
    set: (account, secret) => Promise.resolve(void held.set(account, secret)),
    delete: (account) => Promise.resolve(void held.delete(account)),
  };
}

export function absentStore(reason = 'there is no key store, or it is locked'): SecretStore {
  const refuse = (): Promise<never> => Promise.reject(new StoreUnavailable(reason));
  return { get: refuse, set: refuse, delete: refuse };
}

export function freshMachine(keystore: SecretStore = absentStore()): ProfileStores {
  const root = testFolder();
  const paths = {
    ...{ config: join(root, 'config'), data: join(root, 'data') },
    ...{ state: join(root, 'state'), cache: join(root, 'cache') },
  };
  return { paths, clock: systemClock, secrets: { keystore, file: fileStore(paths, systemClock) } };
}

export const failureOf = async (work: Promise<unknown>): Promise<Failure> => {
  const error = await work.catch((thrown: unknown) => thrown);
  if (!(error instanceof Failure)) throw new Error('no failure', { cause: error });
  expect(JSON.stringify([error.message, error.stack, error.facts])).not.toMatch(/canary/i);
  return error;
};
