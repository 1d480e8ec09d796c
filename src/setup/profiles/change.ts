/** Settings and stored keys change together, under one lock. */
import { type Environment, ENVIRONMENTS, type ApiKey } from '../../contract/access.js';
import { originOf, readAddress, refuseSandboxAddress } from '../../session/target.js';
import { deleteKey, deleteStatePassword, storeKey, storeStatePassword } from '../../session/keys.js';
import {
  requireCode,
  requireKey,
  requireNewName,
  requireProfile,
  viewOf,
  type ProfileView,
} from '../../session/profile-view.js';
import { changeSettings, withProfileLock, readSettings, writeSettings } from '../../session/settings-file.js';
import type { ProfileChange, ProfileStores } from '../../session/settings-file.js';
import { withoutProfile, withProfile, type Profile, type ReferenceMeaning } from '../../session/settings.js';
import { profileAddress } from '../../storage/postgres/place.js';
import { Failure } from '../../runtime/failure.js';
import type { KeySlot } from '../../session/choices.js';

export interface ProfileSettings {
  readonly insecureLoopback: boolean;
  readonly country: string | null;
  readonly currency: string | null;
  readonly references: ReferenceMeaning | null;
}

export interface NewProfile extends ProfileSettings {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string | null;
  readonly insecureStorage: boolean;
  readonly state: StateInput;
}

export type StateInput = Readonly<Record<'url' | 'password', string | null>>;

export async function addProfile(stores: ProfileStores, input: NewProfile): Promise<ProfileChange> {
  const address = readAddress(input.baseUrl, '--base-url');
  const key = input.key === null ? null : requireKey(input.key);
  refuseSandboxAddress(address, '--base-url', key?.environment ?? 'sandbox');
  const state = requireState(input.state, undefined);
  const draft: Profile = { base_url: address.baseUrl, ...settingsOf(input), keys: {} };
  return changeSettings(stores, input.name, async (settings) => {
    const name = requireNewName(settings, input.name);
    const change =
      key === null
        ? { profile: draft, note: null }
        : await storeProfileKey(stores, { ...input, name, key }, draft);
    const { profile, note } = await storeProfileState(stores, name, state, change.profile);
    const active = settings.active ?? name;
    return { settings: { ...withProfile(settings, name, profile), active }, note: change.note ?? note };
  });
}

function settingsOf({ country, currency, insecureLoopback, references }: ProfileSettings): Partial<Profile> {
  return {
    ...(country === null ? {} : { country: requireCode(country, 2, '--country') }),
    ...(currency === null ? {} : { currency: requireCode(currency, 3, '--currency') }),
    ...(insecureLoopback ? { insecure_loopback: true } : {}),
    ...(references === null ? {} : { references }),
  };
}

export async function changeProfile(
  stores: ProfileStores,
  name: string,
  { baseUrl, ...input }: ProfileSettings & { readonly baseUrl: string | null },
): Promise<ProfileChange> {
  const address = baseUrl === null ? null : readAddress(baseUrl, '--base-url');
  if (address !== null) refuseSandboxAddress(address, '--base-url', 'sandbox');
  const changes = { ...(address === null ? {} : { base_url: address.baseUrl }), ...settingsOf(input) };
  return changeSettings(stores, name, (settings) => {
    const profile = requireProfile(settings, name);
    const [host] = Object.values(profile.keys).flatMap(({ origin = originOf(profile.base_url) }) =>
      origin === (address?.origin ?? origin) ? [] : [origin],
    );
    const note =
      host === undefined ? null : `Its keys are for ${host} alone. Next: svc profiles set-key ${name}`;
    return { settings: withProfile(settings, name, { ...profile, ...changes }), note };
  });
}

export async function setKey(
  stores: ProfileStores,
  input: Pick<NewProfile, 'name' | 'insecureStorage'> & { readonly key: string },
): Promise<ProfileChange> {
  const key = requireKey(input.key);
  return changeSettings(stores, input.name, async (settings) => {
    const oldProfile = requireProfile(settings, input.name);
    const { profile, note } = await storeProfileKey(stores, { ...input, key }, oldProfile);
    return { settings: withProfile(settings, input.name, profile), note };
  });
}

export async function setState(
  stores: ProfileStores,
  name: string,
  input: StateInput,
): Promise<ProfileChange> {
  return changeSettings(stores, name, async (settings) => {
    const oldProfile = requireProfile(settings, name);
    const { profile, note } = await storeProfileState(
      stores,
      name,
      requireState(input, oldProfile.state),
      oldProfile,
    );
    return { settings: withProfile(settings, name, profile), note };
  });
}

export async function useProfile(stores: ProfileStores, name: string): Promise<ProfileChange> {
  return changeSettings(stores, name, (settings) => {
    requireProfile(settings, name);
    return { settings: { ...settings, active: name }, note: null };
  });
}

/** Keys are removed first, so that no key stays in a store without a profile. */
export async function removeProfile(stores: ProfileStores, name: string): Promise<ProfileView> {
  return withProfileLock(stores, async () => {
    const settings = readSettings(stores.paths);
    const profile = requireProfile(settings, name);
    for (const environment of ENVIRONMENTS) {
      const stored = profile.keys[environment];
      if (stored !== undefined) await deleteKey(stores.secrets, slotOf(name, profile, environment), stored);
    }
    await deleteStatePassword(stores.secrets, name, profile);
    await writeSettings(stores.paths, withoutProfile(settings, name));
    return viewOf(settings, name, profile);
  });
}

async function storeProfileKey(
  { secrets }: ProfileStores,
  { name, key, insecureStorage }: Pick<NewProfile, 'name' | 'insecureStorage'> & { readonly key: ApiKey },
  profile: Profile,
): Promise<{ profile: Profile; note: string | null }> {
  const slot = slotOf(name, profile, key.environment);
  const oldKey = profile.keys[key.environment];
  const { stored, note } = await storeKey(secrets, slot, key, insecureStorage);
  // The key of the former address is deleted, because no command can find it any more.
  if (oldKey?.origin !== undefined && oldKey.origin !== slot.origin)
    await deleteKey(secrets, { ...slot, origin: oldKey.origin }, oldKey);
  return { profile: { ...profile, keys: { ...profile.keys, [key.environment]: stored } }, note };
}

function requireState({ url, password }: StateInput, oldState: string | undefined): StateInput {
  const state = url === null ? oldState : profileAddress(url, '--state-url');
  if (password === '') throw new Failure('usage', 'Standard input contains no password. Nothing was stored.');
  if (password !== null && (state === undefined || state === 'local'))
    throw new Failure('usage', 'A password needs its database: add --state-url URL. Nothing was stored.');
  return { url: state ?? null, password };
}

async function storeProfileState(
  { secrets }: ProfileStores,
  name: string,
  { url, password }: StateInput,
  oldProfile: Profile,
): Promise<{ profile: Profile; note: string | null }> {
  const { state: _state, state_password: _place, ...otherMembers } = oldProfile;
  const state = url ?? oldProfile.state;
  if (state === undefined) return { profile: oldProfile, note: null };
  if (password === null && state === oldProfile.state) return { profile: oldProfile, note: null };
  await deleteStatePassword(secrets, name, oldProfile);
  if (password === null) return { profile: { ...otherMembers, state }, note: null };
  const { place, note } = await storeStatePassword(secrets, { profile: name, state }, password);
  return { profile: { ...otherMembers, state, state_password: place }, note };
}

function slotOf(profile: string, { base_url: baseUrl }: Profile, environment: Environment): KeySlot {
  return { profile, environment, origin: originOf(baseUrl) };
}
