/** The password of a profile's shared state: it is kept where keys are, under the address it is for. */
import { Failure } from '../runtime/failure.js';
import { StoreUnavailable, type SecretStores } from './settings-file.js';
import type { KeyPlace, Profile } from './settings.js';

/** @param state the address without the password: an edited one finds none */
function accountOf(profile: string, state: string): string {
  return `state ${profile} ${state}`;
}

/** Keeps it. @returns where, and a note for standard error or null @throws Failure `local_state` */
export async function storeStatePassword(
  { keystore, file }: SecretStores,
  { profile, state }: { readonly profile: string; readonly state: string },
  password: string,
): Promise<{ place: KeyPlace; note: string | null }> {
  const account = accountOf(profile, state);
  try {
    await keystore.set(account, password);
    await file.delete(account);
    return { place: 'keystore', note: null };
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    await file.set(account, password);
    const note = `The password of the shared state is in a file that only you can read (mode 0600): ${error.message}.`;
    return { place: 'file', note };
  }
}

/** @throws Failure `local_state` where it is not there any more, or its store can't be asked */
export async function loadStatePassword(
  stores: SecretStores,
  name: string,
  { state = '', state_password: place = 'file' }: Profile,
): Promise<string> {
  const text = await asked(() => stores[place].get(accountOf(name, state)), 'Nothing was sent.');
  if (text !== null) return text;
  throw new Failure(
    'local_state',
    `The password of the shared state of profile ${name} is no longer in its store. Nothing was sent. Store it again: svc profiles set-state ${name} --state-password-stdin < FILE`,
    { code: 'state_unusable' },
  );
}

/** @throws Failure `local_state` where its store can't be asked: it would stay behind unseen */
export async function deleteStatePassword(
  stores: SecretStores,
  name: string,
  { state, state_password: place }: Profile,
): Promise<void> {
  if (state === undefined || place === undefined) return;
  const account = accountOf(name, state);
  await stores.file.delete(account);
  if (place === 'keystore')
    await asked(() => stores.keystore.delete(account), 'The password was not deleted.');
}

async function asked<T>(work: () => Promise<T>, consequence: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new Failure(
      'local_state',
      `svc cannot use the system's key store: ${error.message}. ${consequence} Unlock it, or set SVC_STATE_PASSWORD.`,
      { code: 'state_unusable' },
    );
  }
}
