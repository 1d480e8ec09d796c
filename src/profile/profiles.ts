/** The jobs of `svc profiles`: each changes settings and stored keys together, under one lock, and returns plain data without keys. */
import { type Environment, ENVIRONMENTS } from '../contract/access.js';
import { originOf, readAddress, refuseSandboxAddress } from './address.js';
import type { ApiKey } from './key-text.js';
import { deleteKey, storeKey, type KeySlot } from './keys.js';
import {
  requireCode,
  requireKey,
  requireNewName,
  requireProfile,
  viewOf,
  type ProfileView,
} from './profile-view.js';
import {
  change,
  locked,
  readSettings,
  writeSettings,
  type ProfileChange,
  type ProfileStores,
} from './settings-file.js';
import { withoutProfile, withProfile, type Profile } from './settings.js';

export interface NewProfile {
  readonly name: string;
  readonly baseUrl: string;
  /** As read from standard input; null for none yet. */
  readonly key: string | null;
  readonly insecureStorage: boolean;
  readonly insecureLoopback: boolean;
  readonly country: string | null;
  readonly currency: string | null;
}

/**
 * Adds a profile; the first one becomes the active one. Its key is stored, and nothing is sent.
 * @throws Failure `usage` (a value), `unsafe` (the address; a live key that no store takes), `local_state`, `locked`
 */
export async function addProfile(stores: ProfileStores, input: NewProfile): Promise<ProfileChange> {
  const address = readAddress(input.baseUrl, '--base-url');
  const key = input.key === null ? null : requireKey(input.key);
  refuseSandboxAddress(address, '--base-url', key?.environment ?? 'sandbox');
  const added: Profile = {
    base_url: address.baseUrl,
    ...(input.country === null ? {} : { country: requireCode(input.country, 2, '--country') }),
    ...(input.currency === null ? {} : { currency: requireCode(input.currency, 3, '--currency') }),
    ...(input.insecureLoopback ? { insecure_loopback: true } : {}),
    keys: {},
  };
  return change(stores, input.name, async (settings) => {
    const name = requireNewName(settings, input.name);
    const { profile, note } =
      key === null ? { profile: added, note: null } : await withKey(stores, { ...input, name, key }, added);
    return { settings: { ...withProfile(settings, name, profile), active: settings.active ?? name }, note };
  });
}

/**
 * Stores a key for a profile in place of its key for the same environment; the prefix says which that is.
 * @throws Failure `usage`, `unsafe` (a live key that no store takes), `local_state`, `locked`
 */
export async function setKey(
  stores: ProfileStores,
  input: Pick<NewProfile, 'name' | 'insecureStorage'> & { readonly key: string },
): Promise<ProfileChange> {
  const key = requireKey(input.key);
  return change(stores, input.name, async (settings) => {
    const before = requireProfile(settings, input.name);
    const { profile, note } = await withKey(stores, { ...input, key }, before);
    return { settings: withProfile(settings, input.name, profile), note };
  });
}

/** Makes a profile the active one. @throws Failure `usage` for an unknown one, `local_state`, `locked` */
export async function useProfile(stores: ProfileStores, name: string): Promise<ProfileChange> {
  return change(stores, name, (settings) => {
    requireProfile(settings, name);
    return { settings: { ...settings, active: name }, note: null };
  });
}

/**
 * Removes a profile, its keys first, so that none stays behind unseen. Where it was the active one, none is active afterwards.
 * @throws Failure `usage` for an unknown one, `local_state` where a key could not be deleted, `locked`
 */
export async function removeProfile(stores: ProfileStores, name: string): Promise<ProfileView> {
  return locked(stores, async () => {
    const settings = readSettings(stores.paths);
    const profile = requireProfile(settings, name);
    for (const environment of ENVIRONMENTS) {
      const stored = profile.keys[environment];
      if (stored !== undefined) await deleteKey(stores.secrets, slotOf(name, profile, environment), stored);
    }
    await writeSettings(stores.paths, withoutProfile(settings, name));
    return viewOf(settings, name, profile);
  });
}

async function withKey(
  { secrets }: ProfileStores,
  { name, key, insecureStorage }: Pick<NewProfile, 'name' | 'insecureStorage'> & { readonly key: ApiKey },
  profile: Profile,
): Promise<{ profile: Profile; note: string | null }> {
  const slot = slotOf(name, profile, key.environment);
  const before = profile.keys[key.environment];
  const { stored, note } = await storeKey(secrets, slot, key, insecureStorage);
  // One for an address that the profile had before is nobody's any more.
  if (before?.origin !== undefined && before.origin !== slot.origin)
    await deleteKey(secrets, { ...slot, origin: before.origin }, before);
  return { profile: { ...profile, keys: { ...profile.keys, [key.environment]: stored } }, note };
}

function slotOf(profile: string, { base_url: baseUrl }: Profile, environment: Environment): KeySlot {
  return { profile, environment, origin: originOf(baseUrl) };
}
