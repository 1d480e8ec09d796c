/** The stores of this machine, and how the resolver fetches a key from them. */
import type { Clock } from '../runtime/clock.js';
import type { Paths } from '../runtime/paths.js';
import { readKeyFile } from './key-file.js';
import { systemKeyStore } from './key-store.js';
import type { KeyReaders } from './key-source.js';
import { loadKey } from './keys.js';
import { fileStore } from './secret-file.js';
import type { SecretStores } from './secret-store.js';

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
