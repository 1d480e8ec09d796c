import { isApiKey, readKeyText, showMask, type ApiKey } from '../contract/access.js';
import { NO_PROFILE } from './choices.js';
import { Failure } from '../runtime/failure.js';
import { isProfileName, profileOf } from './settings.js';
import type { KeyPlace, Profile, Settings, StoredKey } from './settings.js';

/** The failure does not repeat a malformed name, because the name may be a key. */
export function requireNewName(settings: Settings, name: string): string {
  if (!isProfileName(name)) {
    throw refusal(
      'A profile name has 1 to 64 of a-z, 0-9, dot, dash and underscore, and begins with a letter or digit.',
    );
  }
  if (name === NO_PROFILE) throw refusal(`"--profile ${NO_PROFILE}" means no profile: choose another name.`);
  if (profileOf(settings, name) === null) return name;
  throw refusal(
    `Profile ${name} already exists. Change it with "svc profiles set ${name}", or its key with "svc profiles set-key ${name}".`,
  );
}

export function requireProfile(settings: Settings, name: string): Profile {
  const profile = profileOf(settings, name);
  if (profile !== null) return profile;
  throw refusal(isProfileName(name) ? `There is no profile ${name}.` : 'No profile has that name.');
}

export function requireKey(text: string): ApiKey {
  const key = readKeyText(text);
  if (isApiKey(key)) return key;
  throw new Failure('usage', `Standard input ${key.reason}. Nothing was stored.`);
}

export function requireCode(text: string, letters: 2 | 3, name: string): string {
  if (text.length === letters && /^[A-Za-z]+$/.test(text)) return text.toUpperCase();
  throw refusal(
    `${name} needs ${letters === 2 ? 'two letters, for example VE' : 'three letters, for example VES'}.`,
  );
}

function refusal(message: string): Failure {
  return new Failure('usage', message, { nextCommand: 'svc profiles list' });
}

export interface KeyView {
  readonly key: string;
  readonly stored: KeyPlace;
}

export type ProfileView = ReturnType<typeof viewOf>;

export function viewOf(settings: Settings, name: string, profile: Profile) {
  return {
    name,
    active: settings.active === name,
    base_url: profile.base_url,
    country: profile.country ?? null,
    currency: profile.currency ?? null,
    insecure_loopback: profile.insecure_loopback ?? false,
    references: profile.references ?? 'payments',
    state: profile.state ?? null,
    keys: { sandbox: keyView(profile.keys.sandbox), live: keyView(profile.keys.live) },
  };
}

export function listProfiles(settings: Settings): ProfileView[] {
  const names = Object.keys(settings.profiles).sort();
  return names.map((name) => viewOf(settings, name, requireProfile(settings, name)));
}

export function profileView(settings: Settings, name: string | null): ProfileView {
  const shownName = name ?? settings.active;
  if (shownName !== null) return viewOf(settings, shownName, requireProfile(settings, shownName));
  if (Object.keys(settings.profiles).length > 0)
    throw new Failure('usage', 'No profile is active. Name one.', { nextCommand: 'svc profiles list' });
  throw new Failure('usage', 'There are no profiles. Make one: svc profiles add NAME --base-url URL', {
    nextCommand: 'svc profiles add --help',
  });
}

function keyView(storedKey: StoredKey | undefined): KeyView | null {
  return storedKey === undefined ? null : { key: showMask(storedKey), stored: storedKey.stored };
}
