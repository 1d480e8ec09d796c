import { isApiKey, isMaskOf, maskOf, readKeyText, type ApiKey } from '../contract/access.js';
import { Failure } from '../runtime/failure.js';
import { storeProblem, requireStore, type SecretStores } from './settings-file.js';
import type { StoredKey, KeyPlace, Profile } from './settings.js';
import type { KeySlot } from './choices.js';

export async function storeKey(
  stores: SecretStores,
  slot: KeySlot,
  key: ApiKey,
  insecureStorage: boolean,
): Promise<{ stored: StoredKey; note: string | null }> {
  const account = accountOf(slot);
  const mask = maskOf(key);
  const reason = await storeProblem(stores.keystore.set(account, key.text));
  if (reason === null) {
    await stores.file.delete(account);
    return { stored: { ...mask, stored: 'keystore', origin: slot.origin }, note: null };
  }
  if (key.environment === 'live' && !insecureStorage) {
    const message = `The live key was not stored: ${reason}. To keep it in a file that only you can read, at your own risk, add --insecure-storage. Nothing was sent.`;
    throw new Failure('unsafe', message);
  }
  await stores.file.set(account, key.text);
  return {
    stored: { ...mask, stored: 'file', origin: slot.origin },
    note: `The ${key.environment} key is in a file that only you can read (mode 0600): ${reason}.`,
  };
}

export async function loadKey(
  stores: SecretStores,
  slot: KeySlot,
  storedKey: StoredKey,
): Promise<string | null> {
  const pendingText = stores[storedKey.stored].get(accountOf(slot));
  const text = await requireStore(pendingText, 'Nothing was sent. Unlock it, or set SVC_API_KEY.');
  if (text === null) return null;
  const key = readKeyText(text);
  if (isApiKey(key) && isMaskOf(storedKey, key)) return key.text;
  const message = `The ${slot.environment} key stored for profile ${slot.profile} does not match its settings. Nothing was sent. Store it again: svc profiles set-key ${slot.profile}`;
  throw new Failure('local_state', message);
}

/** The key is deleted under both origins, because it may be stored under an earlier address. */
export async function deleteKey(stores: SecretStores, slot: KeySlot, storedKey: StoredKey): Promise<void> {
  const origins = new Set([slot.origin, storedKey.origin ?? slot.origin]);
  for (const origin of origins) {
    const account = accountOf({ ...slot, origin });
    await stores.file.delete(account);
    if (storedKey.stored === 'file') continue;
    await requireStore(stores.keystore.delete(account), 'The key was not deleted. Unlock it, and try again.');
  }
}

function accountOf({ profile, environment, origin }: KeySlot): string {
  return `${environment} ${profile} ${origin}`;
}

function stateAccountOf(profile: string, state: string): string {
  return `state ${profile} ${state}`;
}

export async function storeStatePassword(
  { keystore, file }: SecretStores,
  { profile, state }: { readonly profile: string; readonly state: string },
  password: string,
): Promise<{ place: KeyPlace; note: string | null }> {
  const account = stateAccountOf(profile, state);
  const reason = await storeProblem(keystore.set(account, password));
  await (reason === null ? file.delete(account) : file.set(account, password));
  if (reason === null) return { place: 'keystore', note: null };
  const note = `The password of the shared state is in a file that only you can read (mode 0600): ${reason}.`;
  return { place: 'file', note };
}

export async function loadStatePassword(
  stores: SecretStores,
  name: string,
  { state = '', state_password: place = 'file' }: Profile,
): Promise<string> {
  const pendingText = stores[place].get(stateAccountOf(name, state));
  const text = await requireStore(
    pendingText,
    'Nothing was sent. Unlock it, or set SVC_STATE_PASSWORD.',
    'state_unusable',
  );
  if (text !== null) return text;
  const message = `The password of the shared state of profile ${name} is no longer in its store. Nothing was sent. Store it again: svc profiles set-state ${name} --state-password-stdin < FILE`;
  throw new Failure('local_state', message, { code: 'state_unusable' });
}

export async function deleteStatePassword(
  stores: SecretStores,
  name: string,
  { state, state_password: place }: Profile,
): Promise<void> {
  if (state === undefined || place === undefined) return;
  const account = stateAccountOf(name, state);
  await stores.file.delete(account);
  if (place === 'file') return;
  const consequence = 'The password was not deleted. Unlock it, and try again.';
  await requireStore(stores.keystore.delete(account), consequence, 'state_unusable');
}
