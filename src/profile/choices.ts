/** What is set, and from where: every value by the precedence flag, variable, active profile, default. Pure; nothing is judged yet. */
import type { Environment } from '../contract/access.js';
import { Failure } from '../runtime/failure.js';
import type { Environ } from '../runtime/ports.js';
import {
  isProfileName,
  profileOf,
  type Profile,
  type ReferenceMeaning,
  type Settings,
  type StoredKey,
} from './settings.js';

type Source = 'flag' | 'variable' | 'profile' | 'default';

/** A value and where it came from; `name` is what a person would change: `--live`, `SVC_ENV`, `profile acme`, `the default`. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: Source;
  readonly name: string;
}

/** The global flags as parsed; absent and undefined mean the same. */
export interface TargetFlags {
  readonly profile?: string | undefined;
  readonly live?: boolean | undefined;
  readonly sandbox?: boolean | undefined;
  readonly baseUrl?: string | undefined;
  readonly insecureLoopback?: boolean | undefined;
  readonly country?: string | undefined;
  readonly currency?: string | undefined;
}

export interface TargetInput {
  readonly flags: TargetFlags;
  readonly env: Readonly<Environ>;
  readonly settings: Settings;
}

/** Where the key is to be taken from. */
export type KeyOrigin =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'profile'; readonly profile: string; readonly stored: StoredKey };

export interface Choices {
  readonly profile: Sourced<{ readonly name: string; readonly profile: Profile }> | null;
  readonly environment: Sourced<Environment>;
  /** The address as written. */
  readonly baseUrl: Sourced<string> | null;
  readonly key: Sourced<KeyOrigin> | null;
  readonly insecureLoopback: Sourced<boolean>;
  readonly country: Sourced<string> | null;
  readonly currency: Sourced<string> | null;
  readonly references: Sourced<ReferenceMeaning> | null;
}

/**
 * Every value with its source.
 * @throws Failure `usage` for flags that exclude each other, an unknown profile or environment, a variable that is set but empty;
 *   `local_state` where the settings name an active profile that is not there
 */
export function chooseValues({ flags, env, settings }: TargetInput): Choices {
  const environment = chooseEnvironment(flags, env);
  const profile = chooseProfile(flags, env, settings);
  const fromProfile = <T>(value: T | undefined): Sourced<T> | null =>
    profile === null || value === undefined
      ? null
      : { value, source: 'profile', name: `profile ${profile.value.name}` };
  const held = profile?.value.profile;
  return {
    profile,
    environment,
    baseUrl:
      flag(flags.baseUrl, '--base-url') ?? variable(env, 'SVC_BASE_URL') ?? fromProfile(held?.base_url),
    key: variableKey(env) ?? fromProfile(profileKey(profile?.value, environment.value)),
    insecureLoopback: flag(flags.insecureLoopback === true ? true : undefined, '--insecure-loopback') ??
      insecureVariable(env) ??
      fromProfile(held?.insecure_loopback) ?? { value: false, source: 'default', name: 'the default' },
    country: flag(flags.country, '--country') ?? fromProfile(held?.country),
    currency: flag(flags.currency, '--currency') ?? fromProfile(held?.currency),
    references: fromProfile(held?.references),
  };
}

function chooseEnvironment(flags: TargetFlags, env: TargetInput['env']): Sourced<Environment> {
  if (flags.live === true && flags.sandbox === true) {
    throw new Failure('usage', 'Give --live or --sandbox, not both. Nothing was sent.');
  }
  const set = variable(env, 'SVC_ENV');
  if (set !== null && set.value !== 'live' && set.value !== 'sandbox') {
    throw new Failure('usage', 'SVC_ENV must be live or sandbox. Nothing was sent.');
  }
  if (flags.live === true) return { value: 'live', source: 'flag', name: '--live' };
  if (flags.sandbox === true) return { value: 'sandbox', source: 'flag', name: '--sandbox' };
  if (set === null) return { value: 'sandbox', source: 'default', name: 'the default' };
  return { ...set, value: set.value === 'live' ? 'live' : 'sandbox' };
}

/** As a script sets it that rehearses live against a server on its own machine. */
function insecureVariable(env: TargetInput['env']): Sourced<boolean> | null {
  const set = variable(env, 'SVC_INSECURE_LOOPBACK');
  if (set === null) return null;
  if (set.value !== '0' && set.value !== '1')
    throw new Failure('usage', 'SVC_INSECURE_LOOPBACK must be 1 or 0. Nothing was sent.');
  return { ...set, value: set.value === '1' };
}

function chooseProfile(flags: TargetFlags, env: TargetInput['env'], settings: Settings): Choices['profile'] {
  const named = flag(flags.profile, '--profile') ?? variable(env, 'SVC_PROFILE');
  const chosen = named ?? active(settings);
  if (chosen === null) return null;
  const profile = profileOf(settings, chosen.value);
  if (profile !== null) return { ...chosen, value: { name: chosen.value, profile } };
  const shown = isProfileName(chosen.value)
    ? `there is no profile ${chosen.value}`
    : 'no profile has that name';
  if (named === null) {
    throw new Failure(
      'local_state',
      `The settings are damaged: ${shown}, and it is the active one. Type: svc profiles use NAME`,
    );
  }
  throw new Failure('usage', `${chosen.name}: ${shown}. Nothing was sent.`, {
    nextCommand: 'svc profiles list',
  });
}

function active(settings: Settings): Sourced<string> | null {
  return settings.active === null
    ? null
    : { value: settings.active, source: 'profile', name: 'the active profile' };
}

function variableKey(env: TargetInput['env']): Sourced<KeyOrigin> | null {
  const text = env['SVC_API_KEY'];
  // An empty variable is a secret that a script failed to fetch: it must not fall through to another company's key or the sandbox.
  if (text !== undefined) return { value: { kind: 'text', text }, source: 'variable', name: 'SVC_API_KEY' };
  const path = env['SVC_API_KEY_FILE'];
  if (path !== undefined)
    return { value: { kind: 'path', path }, source: 'variable', name: 'SVC_API_KEY_FILE' };
  return null;
}

function profileKey(
  chosen: { readonly name: string; readonly profile: Profile } | undefined,
  environment: Environment,
): KeyOrigin | undefined {
  const stored = chosen?.profile.keys[environment];
  if (chosen === undefined || stored === undefined) return undefined;
  return { kind: 'profile', profile: chosen.name, stored };
}

/** A value from the command line; undefined where it was not given. */
function flag<T>(value: T | undefined, name: string): Sourced<T> | null {
  return value === undefined ? null : { value, source: 'flag', name };
}

/**
 * A value from the environment.
 * @throws Failure `usage` where it is set but empty: it says that something was meant, and not what
 */
function variable(env: Readonly<Environ>, name: string): Sourced<string> | null {
  const value = env[name];
  if (value === '')
    throw new Failure('usage', `${name} is set but empty. Give it a value or unset it. Nothing was sent.`);
  return value === undefined ? null : { value, source: 'variable', name };
}
