/** Signing secrets of registered webhooks, by address and environment: the newest, and for a day the one it replaced (section 6). */
import type { Environment } from '../contract/access.js';
import { LIMITS } from '../contract/limits.js';
import { reasonUndone, StoreUnavailable, type SecretStore, type SecretStores } from './settings-file.js';

const PREVIOUS_VALID_MS = LIMITS.previousSecretHours * 3_600_000;
const PROBE = 'probe';

/** A secret and when it was stored, in milliseconds since the epoch. Lists of them are newest first: each replaced the next at that moment. */
interface StoredSecret {
  readonly secret: string;
  readonly storedAtMs: number;
}

export interface FoundSecrets {
  /** Newest first; at most two. */
  readonly secrets: readonly string[];
  /** Why some may be missing, or null; for standard error. */
  readonly note: string | null;
}

/**
 * Proves that a secret can be kept before the service is asked for one, which it shows once only.
 * @returns a note for standard error where it will be in a file, or null
 * @throws Failure `local_state` where it can't be kept at all
 */
export async function proveWritable(stores: SecretStores): Promise<string | null> {
  const { store, note } = await keep(stores, PROBE, PROBE);
  await store.delete(PROBE);
  return note;
}

/**
 * Keeps a new secret beside the one it replaces.
 * @returns a note for standard error where it is in a file, or null
 * @throws Failure `local_state`
 */
export async function storeSecret(
  stores: SecretStores,
  { address, environment }: { readonly address: string; readonly environment: Environment },
  secret: string,
  nowMs: number,
): Promise<string | null> {
  const account = accountOf(address, environment);
  const { held } = await heldIn(stores, account);
  if (held[0]?.secret === secret) return null;
  const kept = [{ secret, storedAtMs: nowMs }, ...held].slice(0, 2);
  const { store, note } = await keep(stores, account, JSON.stringify(kept));
  if (store === stores.keystore) await stores.file.delete(account);
  return note;
}

/** The secrets that verify a delivery now: the newest, and the one it replaced within the last 24 hours. */
export async function secretsFor(
  stores: SecretStores,
  address: string,
  environment: Environment,
  nowMs: number,
): Promise<FoundSecrets> {
  const { held, note } = await heldIn(stores, accountOf(address, environment));
  const [newest, previous] = held;
  if (newest === undefined) return { secrets: [], note };
  const isPreviousValid = previous !== undefined && nowMs - newest.storedAtMs < PREVIOUS_VALID_MS;
  return { secrets: isPreviousValid ? [newest.secret, previous.secret] : [newest.secret], note };
}

/** Every secret that is kept, newest first, whether it is still valid or not: to say which one a delivery was signed with. */
export async function keptSecrets(
  stores: SecretStores,
  address: string,
  environment: Environment,
): Promise<readonly string[]> {
  const { held } = await heldIn(stores, accountOf(address, environment));
  return held.map(({ secret }) => secret);
}

function accountOf(address: string, environment: Environment): string {
  return `webhook ${environment} ${address}`;
}

async function keep(
  { keystore, file }: SecretStores,
  account: string,
  text: string,
): Promise<{ store: SecretStore; note: string | null }> {
  const reason = await reasonUndone(keystore.set(account, text));
  if (reason === null) return { store: keystore, note: null };
  await file.set(account, text);
  const note = `The signing secret is kept in a file that only you can read (mode 0600): ${reason}.`;
  return { store: file, note };
}

/** What both places hold, newest first: a secret may have been stored while there was no key store. */
async function heldIn(
  { keystore, file }: SecretStores,
  account: string,
): Promise<{ held: readonly StoredSecret[]; note: string | null }> {
  const inFile = parse(await file.get(account));
  try {
    const held = [...inFile, ...parse(await keystore.get(account))];
    return { held: held.sort((one, other) => other.storedAtMs - one.storedAtMs), note: null };
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return {
      held: inFile,
      note: `svc could not read the secrets in the system's key store: ${error.message}.`,
    };
  }
}

function parse(text: string | null): StoredSecret[] {
  if (text === null) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(isHeld) : [];
  } catch {
    return [];
  }
}

function isHeld(value: unknown): value is StoredSecret {
  if (typeof value !== 'object' || value === null) return false;
  const { secret, storedAtMs } = value as Partial<Record<keyof StoredSecret, unknown>>;
  return typeof secret === 'string' && secret !== '' && typeof storedAtMs === 'number';
}
