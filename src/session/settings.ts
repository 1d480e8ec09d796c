import { type Environment, ENVIRONMENTS, hasKeyPrefix, type KeyMask } from '../contract/access.js';
import { isObject } from '../contract/shape.js';

export type KeyPlace = 'keystore' | 'file';

export interface StoredKey extends KeyMask {
  readonly stored: KeyPlace;
  readonly origin?: string;
}

/**
 * `payments`: a reference names one payment.
 * `labels`: a reference names a customer or shop that may be paid often.
 */
export const REFERENCE_MEANINGS = ['payments', 'labels'] as const;
export type ReferenceMeaning = (typeof REFERENCE_MEANINGS)[number];

export interface Profile {
  readonly base_url: string;
  readonly country?: string;
  readonly currency?: string;
  readonly insecure_loopback?: boolean;
  readonly references?: ReferenceMeaning;
  /** The address of the shared state, without a password. `local` means files of this machine. */
  readonly state?: string;
  readonly state_password?: KeyPlace;
  readonly keys: Readonly<Partial<Record<Environment, StoredKey>>>;
}

export interface Settings {
  readonly active: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
}

export const NO_SETTINGS: Settings = { active: null, profiles: {} };

export function isProfileName(name: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,63}$/.test(name) && !hasKeyPrefix(name);
}

export function profileOf(settings: Settings, name: string): Profile | null {
  return Object.hasOwn(settings.profiles, name) ? (settings.profiles[name] ?? null) : null;
}

export function parseSettings(bytes: Uint8Array): Settings | null {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  const { active = null, profiles = {} } = value;
  if (active !== null && typeof active !== 'string') return null;
  if (!isObject(profiles)) return null;
  const parsedProfiles: Record<string, Profile> = {};
  for (const [name, profile] of Object.entries(profiles)) {
    if (!isProfileName(name) || !isProfile(profile)) return null;
    parsedProfiles[name] = profile;
  }
  return { ...value, active, profiles: parsedProfiles };
}

function isProfile(value: unknown): value is Profile {
  if (!isObject(value) || typeof value['base_url'] !== 'string') return false;
  const {
    country,
    currency,
    insecure_loopback: insecureLoopback,
    references,
    state,
    state_password: place,
    keys,
  } = value;
  return (
    isTextOrAbsent(country) &&
    isTextOrAbsent(currency) &&
    (references === undefined || REFERENCE_MEANINGS.some((meaning) => meaning === references)) &&
    isTextOrAbsent(state) &&
    (place === undefined || place === 'keystore' || place === 'file') &&
    (insecureLoopback === undefined || typeof insecureLoopback === 'boolean') &&
    isObject(keys) &&
    ENVIRONMENTS.every((environment) => keys[environment] === undefined || isStoredKey(keys[environment]))
  );
}

function isStoredKey(value: unknown): value is StoredKey {
  if (!isObject(value)) return false;
  const { prefix, last4, stored, origin } = value;
  return (
    typeof prefix === 'string' &&
    typeof last4 === 'string' &&
    (stored === 'keystore' || stored === 'file') &&
    isTextOrAbsent(origin)
  );
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

export function withProfile(settings: Settings, name: string, profile: Profile): Settings {
  return { ...settings, profiles: { ...settings.profiles, [name]: profile } };
}

export function withoutProfile(settings: Settings, name: string): Settings {
  const otherProfiles = Object.entries(settings.profiles).filter(([other]) => other !== name);
  const active = settings.active === name ? null : settings.active;
  return { ...settings, active, profiles: Object.fromEntries(otherProfiles) };
}
