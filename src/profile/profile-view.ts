/** A profile as it is shown: plain data in the words of the settings file, keys masked. Pure. */
import type { Environment } from '../contract/access.js';
import { Failure } from '../runtime/failure.js';
import { showMask } from './key-text.js';
import { requireProfile } from './profile-input.js';
import type { Profile, Settings, Stored, StoredKey } from './settings.js';

export interface KeyView {
  /** Masked, such as `svc_test_...1a2b`. */
  readonly key: string;
  readonly stored: Stored;
}

export interface ProfileView {
  readonly name: string;
  readonly active: boolean;
  readonly base_url: string;
  readonly country: string | null;
  readonly currency: string | null;
  readonly insecure_loopback: boolean;
  readonly keys: Readonly<Record<Environment, KeyView | null>>;
}

export function viewOf(settings: Settings, name: string, profile: Profile): ProfileView {
  return {
    name,
    active: settings.active === name,
    base_url: profile.base_url,
    country: profile.country ?? null,
    currency: profile.currency ?? null,
    insecure_loopback: profile.insecure_loopback ?? false,
    keys: { sandbox: keyView(profile.keys.sandbox), live: keyView(profile.keys.live) },
  };
}

/** Every profile, by name. */
export function listProfiles(settings: Settings): ProfileView[] {
  const names = Object.keys(settings.profiles).sort();
  return names.map((name) => viewOf(settings, name, requireProfile(settings, name)));
}

/** One profile; the active one where no name is given. @throws Failure `usage` where there is none */
export function showProfile(settings: Settings, name: string | null): ProfileView {
  const wanted = name ?? settings.active;
  if (wanted !== null) return viewOf(settings, wanted, requireProfile(settings, wanted));
  throw new Failure('usage', 'No profile is active. Name one.', { nextCommand: 'svc profiles list' });
}

function keyView(stored: StoredKey | undefined): KeyView | null {
  return stored === undefined ? null : { key: showMask(stored), stored: stored.stored };
}
