/** The port to a place that keeps secrets by name: the key store of the operating system is one, a private file another. */

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
