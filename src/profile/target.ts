/**
 * Where a request goes: what a command works against, where every value of it came from, and how flags, variables and settings come to
 * it, or to a refusal that names what disagrees (section 2 of the contract).
 */
import { type Environment, KEY_PREFIX } from '../contract/access.js';
import { readAddress, refuseSandboxAddress, serviceUrl, type Address } from './address.js';
import { type Choices, chooseValues, type Sourced, type TargetInput } from './choices.js';
import { type KeyReaders, noKey, readKey, refused } from './key-source.js';
import { maskOf, showMask, isMaskOf, type ApiKey } from './key-text.js';
import type { ReferenceMeaning } from './settings.js';

/** What every target knows of where its values came from; for `svc doctor`. No key stands in it. */
interface Provenance {
  readonly environment: Sourced<Environment>;
  readonly profile: Sourced<string> | null;
  readonly baseUrl: Sourced<string> | null;
  /** Masked. */
  readonly key: Sourced<string> | null;
}

interface Defaults {
  /** The country and currency of a body that names none. */
  readonly country: Sourced<string> | null;
  readonly currency: Sourced<string> | null;
  /** What a reference names, where a profile says it. */
  readonly references: Sourced<ReferenceMeaning> | null;
}

/** Nothing is configured: the sandbox inside svc. */
interface EmbeddedTarget extends Defaults {
  readonly kind: 'embedded';
  readonly environment: 'sandbox';
  readonly provenance: Provenance;
}

/** A service somewhere, and the key that belongs to it. */
export interface ServiceTarget extends Defaults {
  readonly kind: 'service';
  readonly environment: Environment;
  /** The production address, without a slash at its end. */
  readonly baseUrl: string;
  /** What `/v2/...` is appended to: the production address, or that and `/sandbox`. */
  readonly serviceUrl: string;
  readonly key: string;
  readonly profile: string | null;
  readonly provenance: Provenance;
  /** For standard error. */
  readonly notes: readonly string[];
}

export type Target = EmbeddedTarget | ServiceTarget;

/**
 * The target of a command. Nothing is sent, and no key store is opened before the address was found safe.
 * @throws Failure `usage`, `no_access` (no key), `unsafe` (key, environment and address disagree) or `local_state`
 */
export async function resolve(input: TargetInput, readers: KeyReaders): Promise<Target> {
  const choices = chooseValues(input);
  if (isNothingConfigured(choices, input)) return embedded(choices);
  const address = choices.baseUrl === null ? null : readAddress(choices.baseUrl.value, choices.baseUrl.name);
  if (address !== null && choices.baseUrl !== null) {
    refuseSandboxAddress(address, choices.baseUrl.name, choices.environment.value);
  }
  if (choices.key === null) throw noKey(choices, input);
  if (address !== null) {
    requirePinnedHost(choices, address);
    requireSafeWay(choices, address, input.env);
  }
  const { key, note } = await readKey(choices.key, choices, address?.origin ?? '', readers);
  if (address === null) {
    throw refused(
      `${choices.key.name} contains a key, but no address says where to send it. Set SVC_BASE_URL, or add --base-url URL.`,
    );
  }
  const notes = [judgeOverride(choices, key), note];
  return {
    kind: 'service',
    environment: choices.environment.value,
    baseUrl: address.baseUrl,
    serviceUrl: serviceUrl(address, choices.environment.value),
    key: key.text,
    profile: choices.profile?.value.name ?? null,
    country: choices.country,
    currency: choices.currency,
    references: choices.references,
    provenance: provenanceOf(choices, { ...choices.key, value: showMask(maskOf(key)) }),
    notes: notes.filter((text) => text !== null),
  };
}

/** Anything half configured is refused instead: a payment must not look done because it met the sandbox. */
export function isNothingConfigured(choices: Choices, { settings }: TargetInput): boolean {
  const { profile, key, baseUrl, environment } = choices;
  const isAnythingChosen =
    profile !== null || key !== null || baseUrl !== null || environment.value === 'live';
  return !isAnythingChosen && Object.keys(settings.profiles).length === 0;
}

function embedded(choices: Choices): EmbeddedTarget {
  return {
    kind: 'embedded',
    environment: 'sandbox',
    country: choices.country,
    currency: choices.currency,
    references: choices.references,
    provenance: provenanceOf(choices, null),
  };
}

function provenanceOf(choices: Choices, key: Sourced<string> | null): Provenance {
  const { environment, baseUrl, profile } = choices;
  return {
    environment,
    baseUrl,
    key,
    profile: profile === null ? null : { ...profile, value: profile.value.name },
  };
}

/** The address of the profile whose key would be used; null where the key comes from elsewhere. */
function pinnedAddress({ key, profile }: Choices): Address | null {
  if (key?.value.kind !== 'profile' || profile === null) return null;
  return readAddress(profile.value.profile.base_url, `profile ${profile.value.name}`);
}

/**
 * A profile's key goes to the scheme, host and port it was stored for and to no other.
 * @throws Failure `unsafe`
 */
function requirePinnedHost(choices: Choices, address: Address): void {
  const pinned = pinnedAddress(choices);
  if (pinned === null || pinned.origin === address.origin) return;
  throw refused(
    `The key of ${choices.key?.name ?? ''} is for ${pinned.origin}, but ${choices.baseUrl?.name ?? ''} is ${address.origin}. ` +
      'svc never sends a key to another host: use a profile for that host.',
  );
}

/**
 * What a live key asks of its way: https, a host by name, certificates that are checked; http only to this machine and only when asked.
 * @throws Failure `unsafe`
 */
function requireSafeWay(choices: Choices, address: Address, env: TargetInput['env']): void {
  if (choices.environment.value !== 'live') return;
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw refused(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 turns off certificate checks. Unset it before you go live.',
    );
  }
  const name = choices.baseUrl?.name ?? '';
  if (address.isLoopback && allowsLoopback(choices, address)) return;
  if (!address.isHttps) {
    throw refused(
      `The environment is live (${choices.environment.name}), but ${name} is http on ${address.host}. To rehearse, add --insecure-loopback.`,
    );
  }
  if (address.isIpLiteral) {
    throw refused(
      `The environment is live (${choices.environment.name}), but ${name} is the IP address ${address.host}. Give the host's name: svc sends a live key only to a name.`,
    );
  }
}

/** What a profile remembers is about its own address, not about one that replaces it. */
function allowsLoopback({ insecureLoopback, profile }: Choices, address: Address): boolean {
  if (!insecureLoopback.value || insecureLoopback.source !== 'profile') return insecureLoopback.value;
  return readAddress(profile?.value.profile.base_url ?? '', 'the profile').origin === address.origin;
}

/**
 * A key in a variable goes before the one of a profile. Where the profile was named on the command line and holds another key,
 * that is said; live it is refused: it would move the money of another company than the one that was named.
 * @returns a note for standard error, or null
 * @throws Failure `unsafe`
 */
function judgeOverride({ key, profile, environment }: Choices, used: ApiKey): string | null {
  const stored = profile?.value.profile.keys[environment.value];
  if (profile === null || stored === undefined || key?.source !== 'variable' || isMaskOf(stored, used))
    return null;
  if (environment.value === 'live' && profile.source !== 'profile') {
    throw refused(
      `${profile.name} names profile ${profile.value.name}, but ${key.name} contains a different key from its ${KEY_PREFIX.live} key. Unset one of them.`,
    );
  }
  return `The key comes from ${key.name}, not from profile ${profile.value.name}.`;
}
