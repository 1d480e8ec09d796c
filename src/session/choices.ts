import { type Environment, KEY_PREFIX, isApiKey, readKeyText, type ApiKey } from '../contract/access.js';
import { quoteIfOdd } from '../contract/on-screen.js';
import { Failure, usageFailure } from '../runtime/failure.js';
import type { Environ } from '../runtime/ports.js';
import { isProfileName, profileOf } from './settings.js';
import type { Profile, ReferenceMeaning, Settings, StoredKey } from './settings.js';

type Source = 'flag' | 'variable' | 'profile' | 'default';

export interface SourcedValue<T> {
  readonly value: T;
  readonly source: Source;
  readonly name: string;
}

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

export type KeyOrigin =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'profile'; readonly profile: string; readonly stored: StoredKey };

export interface Choices {
  readonly profile: SourcedValue<{ readonly name: string; readonly profile: Profile }> | null;
  readonly environment: SourcedValue<Environment>;
  readonly baseUrl: SourcedValue<string> | null;
  readonly key: SourcedValue<KeyOrigin> | null;
  readonly insecureLoopback: SourcedValue<boolean>;
  readonly country: SourcedValue<string> | null;
  readonly currency: SourcedValue<string> | null;
  readonly references: SourcedValue<ReferenceMeaning> | null;
  readonly settings: Settings;
  /** svc uses its own sandbox only if this is true, because no real payment may end in a sandbox. */
  readonly isNothingConfigured: boolean;
}

export function chooseValues(input: TargetInput): Choices {
  const { flags, env, settings } = input;
  const environment = chooseEnvironment(flags, env);
  const profile = chooseProfile(flags, env, settings);
  const fromProfile = <T>(value: T | undefined): SourcedValue<T> | null =>
    profile === null || value === undefined
      ? null
      : { value, source: 'profile', name: `profile ${profile.value.name}` };
  const activeProfile = profile?.value.profile;
  const storedKey = activeProfile?.keys[environment.value];
  const baseUrl =
    fromFlag(flags.baseUrl, '--base-url') ??
    fromVariable(env, 'SVC_BASE_URL') ??
    fromProfile(activeProfile?.base_url);
  const key =
    variableKey(env) ??
    (profile === null || storedKey === undefined
      ? null
      : fromProfile({ kind: 'profile', profile: profile.value.name, stored: storedKey }));
  const isAnythingChosen =
    profile !== null || key !== null || baseUrl !== null || environment.value === 'live';
  return {
    profile,
    environment,
    baseUrl,
    key,
    insecureLoopback: fromFlag(flags.insecureLoopback === true ? true : undefined, '--insecure-loopback') ??
      insecureVariable(env) ??
      fromProfile(activeProfile?.insecure_loopback) ?? {
        value: false,
        source: 'default',
        name: 'the default',
      },
    country: fromFlag(flags.country, '--country') ?? fromProfile(activeProfile?.country),
    currency: fromFlag(flags.currency, '--currency') ?? fromProfile(activeProfile?.currency),
    references: fromProfile(activeProfile?.references),
    settings,
    isNothingConfigured:
      !isAnythingChosen && (isNoProfileChosen(input) || Object.keys(settings.profiles).length === 0),
  };
}

function chooseEnvironment(flags: TargetFlags, env: TargetInput['env']): SourcedValue<Environment> {
  if (flags.live === true && flags.sandbox === true) {
    throw usageFailure('Give --live or --sandbox, not both.');
  }
  const svcEnv = fromVariable(env, 'SVC_ENV');
  if (svcEnv !== null && svcEnv.value !== 'live' && svcEnv.value !== 'sandbox') {
    throw invalidVariable('live or sandbox', svcEnv);
  }
  if (flags.live === true) return { value: 'live', source: 'flag', name: '--live' };
  if (flags.sandbox === true) return { value: 'sandbox', source: 'flag', name: '--sandbox' };
  if (svcEnv === null) return { value: 'sandbox', source: 'default', name: 'the default' };
  return { ...svcEnv, value: svcEnv.value === 'live' ? 'live' : 'sandbox' };
}

function invalidVariable(allowedValues: string, { name, value }: SourcedValue<string>): Failure {
  return usageFailure(`${name} must be ${allowedValues}${quoteIfOdd(', not ', value)}.`);
}

function insecureVariable(env: TargetInput['env']): SourcedValue<boolean> | null {
  const variable = fromVariable(env, 'SVC_INSECURE_LOOPBACK');
  if (variable === null) return null;
  if (variable.value !== '0' && variable.value !== '1') throw invalidVariable('1 or 0', variable);
  return { ...variable, value: variable.value === '1' };
}

function chooseProfile(flags: TargetFlags, env: TargetInput['env'], settings: Settings): Choices['profile'] {
  const namedProfile = fromFlag(flags.profile, '--profile') ?? fromVariable(env, 'SVC_PROFILE');
  if (isNoProfileChosen({ flags, env, settings })) return null;
  const { active } = settings;
  const chosenName: SourcedValue<string> | null =
    namedProfile ??
    (active === null ? null : { value: active, source: 'profile', name: 'the active profile' });
  if (chosenName === null) return null;
  const profile = profileOf(settings, chosenName.value);
  if (profile !== null) return { ...chosenName, value: { name: chosenName.value, profile } };
  const reason = isProfileName(chosenName.value)
    ? `there is no profile ${chosenName.value}`
    : `no profile has that name${quoteIfOdd(': ', chosenName.value)}`;
  if (namedProfile === null) {
    const text = `The settings are damaged: ${reason}, and it is the active one. Type: svc profiles use NAME`;
    throw new Failure('local_state', text);
  }
  throw new Failure('usage', `${chosenName.name}: ${reason}. Nothing was sent.`, {
    nextCommand: 'svc profiles list',
  });
}

export const NO_PROFILE = 'none';

function isNoProfileChosen({ flags, env, settings }: TargetInput): boolean {
  return (flags.profile ?? env['SVC_PROFILE']) === NO_PROFILE && profileOf(settings, NO_PROFILE) === null;
}

function variableKey(env: TargetInput['env']): SourcedValue<KeyOrigin> | null {
  const text = env['SVC_API_KEY'];
  // An empty variable counts as set: a script that failed to fill it must not send with the key of a profile instead.
  if (text !== undefined) return { value: { kind: 'text', text }, source: 'variable', name: 'SVC_API_KEY' };
  const path = env['SVC_API_KEY_FILE'];
  if (path !== undefined)
    return { value: { kind: 'path', path }, source: 'variable', name: 'SVC_API_KEY_FILE' };
  return null;
}

function fromFlag<T>(value: T | undefined, name: string): SourcedValue<T> | null {
  return value === undefined ? null : { value, source: 'flag', name };
}

function fromVariable(env: Readonly<Environ>, name: string): SourcedValue<string> | null {
  const value = env[name];
  if (value === '') throw usageFailure(`${name} is set but empty. Give it a value or unset it.`);
  return value === undefined ? null : { value, source: 'variable', name };
}

export interface KeyFile {
  readonly text: string;
  readonly isShared: boolean;
}

/** The origin is part of the slot, because a profile with a changed address must find no key. */
export interface KeySlot {
  readonly profile: string;
  readonly environment: Environment;
  readonly origin: string;
}

/** Call these readers only after the address was found safe, because they load the API key. */
export interface KeyReaders {
  readonly file: (path: string) => KeyFile | null;
  readonly stored: (slot: KeySlot, stored: StoredKey) => Promise<string | null>;
}

export function missingKeyFailure({ profile, environment, baseUrl, settings }: Choices): Failure {
  const isLive = environment.value === 'live';
  const hint = isLive ? '' : ` The sandbox inside svc needs none: --profile ${NO_PROFILE}`;
  if (profile !== null) {
    const { name } = profile.value;
    const environmentText = environment.source === 'default' ? '' : ` (${environment.name})`;
    const otherEnv = isLive ? 'sandbox' : 'live';
    const nextCommand = `svc profiles set-key ${name}`;
    const hasNoOtherKey = profile.value.profile.keys[otherEnv] === undefined;
    const otherKeyText = hasNoOtherKey ? '' : `, only a ${otherEnv} key`;
    const head = `Profile ${name} has no ${environment.value} key${environmentText}${otherKeyText}. Nothing was sent.`;
    return hasNoOtherKey
      ? new Failure('no_access', head + hint, { nextCommand })
      : new Failure(
          'no_access',
          `${head} To use that key, add --${otherEnv}. Or store the other one: ${nextCommand}`,
        );
  }
  const profiles = Object.keys(settings.profiles);
  if (baseUrl === null && profiles.length > 0) {
    const message = `No profile is active, and no key is set. Nothing was sent. Choose a profile: svc profiles use NAME${isLive ? '' : '.'}${hint}`;
    return new Failure('no_access', message, { nextCommand: 'svc profiles list' });
  }
  const reason =
    baseUrl === null
      ? `${environment.name} asks for the live environment`
      : `${baseUrl.name} gives an address`;
  const text = `${reason}, but there is no key. Nothing was sent. Set SVC_API_KEY, or use a profile.`;
  return new Failure('no_access', text);
}

export async function readKey(
  keyOrigin: SourcedValue<KeyOrigin>,
  choices: Choices,
  pinnedOrigin: string,
  readers: KeyReaders,
): Promise<{ key: ApiKey; note: string | null }> {
  const { environment } = choices;
  const { text, isShared } = await fetchKey(keyOrigin, choices, pinnedOrigin, readers);
  const key = readKeyText(text);
  if (!isApiKey(key)) {
    const message = `${keyOrigin.name} ${key.reason}. Nothing was sent.`;
    throw new Failure(key.problem === 'prefix' ? 'unsafe' : 'no_access', message);
  }
  if (key.environment !== environment.value) {
    const remedy = key.environment === 'live' ? ' To use real money, add --live.' : '';
    throw unsafeFailure(
      `${keyOrigin.name} contains a ${key.environment} key (${KEY_PREFIX[key.environment]}), but the environment is ${environment.value} (${environment.name}).${remedy}`,
    );
  }
  const note = `Other users of this machine may read the key file that ${keyOrigin.name} names.`;
  return { key, note: isShared ? note : null };
}

async function fetchKey(
  { name, value }: SourcedValue<KeyOrigin>,
  { environment }: Choices,
  pinnedOrigin: string,
  readers: KeyReaders,
): Promise<KeyFile> {
  if (value.kind === 'text') return { text: value.text, isShared: false };
  if (value.kind === 'path') {
    const file = value.path === '' ? { text: '', isShared: false } : readers.file(value.path);
    if (file !== null) return file;
    throw new Failure('no_access', `${name} names a file that does not exist. Nothing was sent.`);
  }
  const text = await readers.stored(
    { profile: value.profile, environment: environment.value, origin: pinnedOrigin },
    value.stored,
  );
  if (text !== null) return { text, isShared: false };
  const message = `The ${environment.value} key of ${name} is no longer in its store. Nothing was sent. Store it again: svc profiles set-key ${value.profile}`;
  throw new Failure('no_access', message, { nextCommand: `svc profiles set-key ${value.profile}` });
}

export function unsafeFailure(problem: string): Failure {
  return new Failure('unsafe', `${problem} Nothing was sent.`);
}
