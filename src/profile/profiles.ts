/** The jobs of `svc profiles`: each changes settings and stored keys together, under one lock, and returns plain data without keys. */
import { type Environment, ENVIRONMENTS, type ApiKey } from '../contract/access.js';
import { originOf, readAddress, refuseSandboxAddress } from './target.js';
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
import { withoutProfile, withProfile, type Profile, type ReferenceMeaning } from './settings.js';
import { deleteStatePassword, storeStatePassword } from './keys.js';
import { profileAddress } from '../state/place.js';
import { Failure } from '../runtime/failure.js';

/** Null for what is not said. */
export interface GivenSettings {
  readonly insecureLoopback: boolean;
  readonly country: string | null;
  readonly currency: string | null;
  readonly references: ReferenceMeaning | null;
}

export interface NewProfile extends GivenSettings {
  readonly name: string;
  readonly baseUrl: string;
  /** As read from standard input; null for none yet. */
  readonly key: string | null;
  readonly insecureStorage: boolean;
  readonly state: GivenState;
}

/** Where the shared state is, and its password as read from standard input; null for what is not said. */
export interface GivenState {
  readonly url: string | null;
  readonly password: string | null;
}

/**
 * Adds a profile; the first one becomes the active one. Its key is stored, and nothing is sent.
 * @throws Failure `usage` (a value), `unsafe` (the address; a live key that no store takes), `local_state`, `locked`
 */
export async function addProfile(stores: ProfileStores, input: NewProfile): Promise<ProfileChange> {
  const address = readAddress(input.baseUrl, '--base-url');
  const key = input.key === null ? null : requireKey(input.key);
  refuseSandboxAddress(address, '--base-url', key?.environment ?? 'sandbox');
  const state = requireState(input.state, undefined);
  const added: Profile = { base_url: address.baseUrl, ...settingsOf(input), keys: {} };
  return change(stores, input.name, async (settings) => {
    const name = requireNewName(settings, input.name);
    const keyed =
      key === null ? { profile: added, note: null } : await withKey(stores, { ...input, name, key }, added);
    const { profile, note } = await withState(stores, name, state, keyed.profile);
    const active = settings.active ?? name;
    return { settings: { ...withProfile(settings, name, profile), active }, note: keyed.note ?? note };
  });
}

/** @throws Failure `usage` */
function settingsOf({ country, currency, insecureLoopback, references }: GivenSettings): Partial<Profile> {
  return {
    ...(country === null ? {} : { country: requireCode(country, 2, '--country') }),
    ...(currency === null ? {} : { currency: requireCode(currency, 3, '--currency') }),
    ...(insecureLoopback ? { insecure_loopback: true } : {}),
    ...(references === null ? {} : { references }),
  };
}

/**
 * Changes the settings that are given. A key is for one host: at another one none is found.
 * @param baseUrl null for the address that there is @throws as `addProfile`
 */
export async function changeProfile(
  stores: ProfileStores,
  name: string,
  { baseUrl, ...given }: GivenSettings & { readonly baseUrl: string | null },
): Promise<ProfileChange> {
  const address = baseUrl === null ? null : readAddress(baseUrl, '--base-url');
  if (address !== null) refuseSandboxAddress(address, '--base-url', 'sandbox');
  const changed = { ...(address === null ? {} : { base_url: address.baseUrl }), ...settingsOf(given) };
  return change(stores, name, (settings) => {
    const before = requireProfile(settings, name);
    const [host] = Object.values(before.keys).flatMap(({ origin = originOf(before.base_url) }) =>
      origin === (address?.origin ?? origin) ? [] : [origin],
    );
    const note =
      host === undefined ? null : `Its keys are for ${host} alone. Next: svc profiles set-key ${name}`;
    return { settings: withProfile(settings, name, { ...before, ...changed }), note };
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

/**
 * Says where the state of a profile is that machines share, and keeps its password; one for another address is forgotten.
 * @throws Failure `usage`, `unsafe` (an address that others can listen to), `local_state`, `locked`
 */
export async function setState(
  stores: ProfileStores,
  name: string,
  given: GivenState,
): Promise<ProfileChange> {
  return change(stores, name, async (settings) => {
    const before = requireProfile(settings, name);
    const { profile, note } = await withState(stores, name, requireState(given, before.state), before);
    return { settings: withProfile(settings, name, profile), note };
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
    await deleteStatePassword(stores.secrets, name, profile);
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

/** What may be kept: nothing is kept where it may not. @param before the address that there is @throws Failure `usage`, `unsafe` */
function requireState({ url, password }: GivenState, before: string | undefined): GivenState {
  const state = url === null ? before : profileAddress(url, '--state-url');
  if (password === '') throw new Failure('usage', 'Standard input contains no password. Nothing was stored.');
  if (password !== null && (state === undefined || state === 'local'))
    throw new Failure('usage', 'A password needs its database: add --state-url URL. Nothing was stored.');
  return { url: state ?? null, password };
}

async function withState(
  { secrets }: ProfileStores,
  name: string,
  { url, password }: GivenState,
  before: Profile,
): Promise<{ profile: Profile; note: string | null }> {
  const { state: _state, state_password: _place, ...rest } = before;
  const state = url ?? before.state;
  if (state === undefined) return { profile: before, note: null };
  if (password === null && state === before.state) return { profile: before, note: null };
  await deleteStatePassword(secrets, name, before);
  if (password === null) return { profile: { ...rest, state }, note: null };
  const { place, note } = await storeStatePassword(secrets, { profile: name, state }, password);
  return { profile: { ...rest, state, state_password: place }, note };
}

function slotOf(profile: string, { base_url: baseUrl }: Profile, environment: Environment): KeySlot {
  return { profile, environment, origin: originOf(baseUrl) };
}
