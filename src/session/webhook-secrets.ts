import type { Environment } from '../contract/access.js';
import { jsonIn } from '../contract/json.js';
import { LIMITS } from '../contract/limits.js';
import { isObject } from '../contract/shape.js';
import { storeProblem, StoreUnavailable, type SecretStore, type SecretStores } from './settings-file.js';

const PREVIOUS_VALID_MS = LIMITS.previousSecretHours * 3_600_000;
const PROBE_ACCOUNT = 'probe';

interface StoredSecret {
  readonly secret: string;
  readonly storedAtMs: number;
}

/** A text is stored first as a trial, because the service shows a new secret only once. */
export async function proveWritable(stores: SecretStores): Promise<string | null> {
  const { store, note } = await storeText(stores, PROBE_ACCOUNT, PROBE_ACCOUNT);
  await store.delete(PROBE_ACCOUNT);
  return note;
}

export async function storeSecret(
  stores: SecretStores,
  { address, environment }: { readonly address: string; readonly environment: Environment },
  secret: string,
  nowMs: number,
): Promise<string | null> {
  const account = accountOf(address, environment);
  const { stored } = await readStoredSecrets(stores, account);
  if (stored[0]?.secret === secret) return null;
  const secretsToKeep = [{ secret, storedAtMs: nowMs }, ...stored].slice(0, 2);
  const { store, note } = await storeText(stores, account, JSON.stringify(secretsToKeep));
  if (store === stores.keystore) await stores.file.delete(account);
  return note;
}

export async function verifyingSecrets(
  stores: SecretStores,
  address: string,
  environment: Environment,
  nowMs: number,
): Promise<{ secrets: readonly string[]; note: string | null }> {
  const { stored, note } = await readStoredSecrets(stores, accountOf(address, environment));
  const [newest, previous] = stored;
  if (newest === undefined) return { secrets: [], note };
  const isPreviousValid = previous !== undefined && nowMs - newest.storedAtMs < PREVIOUS_VALID_MS;
  return { secrets: isPreviousValid ? [newest.secret, previous.secret] : [newest.secret], note };
}

/** Expired secrets are included, because one of them may have signed a delivery. */
export async function allSecrets(
  stores: SecretStores,
  address: string,
  environment: Environment,
): Promise<readonly string[]> {
  const { stored } = await readStoredSecrets(stores, accountOf(address, environment));
  return stored.map(({ secret }) => secret);
}

function accountOf(address: string, environment: Environment): string {
  return `webhook ${environment} ${address}`;
}

async function storeText(
  { keystore, file }: SecretStores,
  account: string,
  text: string,
): Promise<{ store: SecretStore; note: string | null }> {
  const reason = await storeProblem(keystore.set(account, text));
  if (reason === null) return { store: keystore, note: null };
  await file.set(account, text);
  const note = `The signing secret is kept in a file that only you can read (mode 0600): ${reason}.`;
  return { store: file, note };
}

async function readStoredSecrets(
  { keystore, file }: SecretStores,
  account: string,
): Promise<{ stored: readonly StoredSecret[]; note: string | null }> {
  const fileSecrets = parseSecrets(await file.get(account));
  try {
    const stored = [...fileSecrets, ...parseSecrets(await keystore.get(account))];
    return { stored: stored.sort((one, other) => other.storedAtMs - one.storedAtMs), note: null };
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return {
      stored: fileSecrets,
      note: `svc could not read the secrets in the system's key store: ${error.message}.`,
    };
  }
}

function parseSecrets(text: string | null): StoredSecret[] {
  const list = jsonIn(text ?? '');
  return Array.isArray(list) ? list.filter(isStoredSecret) : [];
}

function isStoredSecret(value: unknown): value is StoredSecret {
  if (!isObject(value)) return false;
  const { secret, storedAtMs } = value;
  return typeof secret === 'string' && secret !== '' && typeof storedAtMs === 'number';
}
