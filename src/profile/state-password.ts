/** The password of a profile's shared state: it is kept where keys are, under the address it is for. */
import { Failure } from '../runtime/failure.js';
import { reasonUndone, requireStore, type SecretStores } from './settings-file.js';
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
  const reason = await reasonUndone(keystore.set(account, password));
  await (reason === null ? file.delete(account) : file.set(account, password));
  if (reason === null) return { place: 'keystore', note: null };
  const note = `The password of the shared state is in a file that only you can read (mode 0600): ${reason}.`;
  return { place: 'file', note };
}

/** @throws Failure `local_state` where it is not there any more, or its store can't be asked */
export async function loadStatePassword(
  stores: SecretStores,
  name: string,
  { state = '', state_password: place = 'file' }: Profile,
): Promise<string> {
  const asked = stores[place].get(accountOf(name, state));
  const text = await requireStore(
    asked,
    'Nothing was sent. Unlock it, or set SVC_STATE_PASSWORD.',
    'state_unusable',
  );
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
  if (place === 'file') return;
  const unmet = 'The password was not deleted. Unlock it, and try again.';
  await requireStore(stores.keystore.delete(account), unmet, 'state_unusable');
}
