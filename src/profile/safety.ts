/** What is refused before a key is even read: an address, an environment and a key's origin that do not belong together. Pure. */
import { KEY_PREFIX } from '../contract/access.js';
import { Failure } from '../runtime/failure.js';
import { readAddress, type Address } from './address.js';
import type { Choices, TargetInput } from './choices.js';
import { isMaskOf, type ApiKey } from './key-text.js';

/** The address of the profile whose key would be used; null where the key comes from elsewhere. */
function pinnedAddress({ key, profile }: Choices): Address | null {
  if (key?.value.kind !== 'profile' || profile === null) return null;
  return readAddress(profile.value.profile.base_url, `profile ${profile.value.name}`);
}

/**
 * A profile's key goes to the scheme, host and port it was stored for and to no other.
 * @throws Failure `unsafe`
 */
export function requirePinnedHost(choices: Choices, address: Address): void {
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
export function requireSafeWay(choices: Choices, address: Address, env: TargetInput['env']): void {
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
export function judgeOverride({ key, profile, environment }: Choices, used: ApiKey): string | null {
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

/** A refusal for safety. */
export function refused(what: string): Failure {
  return new Failure('unsafe', `${what} Nothing was sent.`);
}
