import { KEY_PREFIX, maskOf, showMask, isMaskOf, ENVIRONMENT_PATH } from '../contract/access.js';
import type { Environment, ApiKey } from '../contract/access.js';
import { chooseValues, missingKeyFailure, readKey, unsafeFailure } from './choices.js';
import type { Choices, SourcedValue, KeyReaders } from './choices.js';
import { hasUnseen, quoteIfOdd } from '../contract/on-screen.js';
import type { Where } from './place-flags.js';
import { readSettings } from './settings-file.js';
import { Failure, usageFailure } from '../runtime/failure.js';
import type { Environ, Ports } from '../runtime/ports.js';

export type Address = ReturnType<typeof addressOf>;

export function readAddress(text: string, name: string): Address {
  const url = URL.canParse(text) ? new URL(text) : null;
  // The text itself is tested, because `URL` drops tabs, reads `\` as `/` and takes `localhost:` for a scheme.
  const isUnambiguous =
    /^[^\s\\]+$/.test(text) &&
    !hasUnseen(text) &&
    !/^[a-z0-9.-]+:\d/i.test(text) &&
    !/^https?:(?!\/\/)/i.test(text);
  if (url === null || !isUnambiguous) {
    throw usageFailure(
      `${name} is not a URL${quoteIfOdd(': ', text)}. Give the full address, for example https://api.example.com.`,
    );
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw unsafeFailure(`${name} must begin with https://.`);
  }
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/]*@/.test(text)) {
    throw unsafeFailure(
      `${name} contains a user name or a password. Put the key in a profile or in SVC_API_KEY.`,
    );
  }
  if (text.includes('?') || text.includes('#'))
    throw unsafeFailure(`${name} contains a query or a fragment. Remove it.`);
  const address = addressOf(url);
  if (!address.isHttps && !address.isLoopback) {
    throw unsafeFailure(`${name} is http on ${address.host}. http is for this machine only: use https.`);
  }
  return address;
}

function addressOf(url: URL) {
  const hostName = url.hostname;
  const isIpV4 = /^\d+\.\d+\.\d+\.\d+$/.test(hostName);
  return {
    baseUrl: url.origin + url.pathname.replace(/\/+$/, ''),
    /** A profile's API key is sent only there. */
    origin: url.origin,
    host: url.host,
    isHttps: url.protocol === 'https:',
    isLoopback: hostName === 'localhost' || hostName === '[::1]' || (isIpV4 && hostName.startsWith('127.')),
    isIpLiteral: isIpV4 || hostName.startsWith('['),
  };
}

export function originOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl;
}

export function serviceUrl(address: Address, environment: Environment): string {
  return address.baseUrl + ENVIRONMENT_PATH[environment];
}

export function refuseSandboxAddress(address: Address, name: string, environment: Environment): void {
  const suffix = ENVIRONMENT_PATH.sandbox;
  const [, addressBeforeV2] = /^(https?:\/\/[^/]+)(?:\/sandbox)?\/v2$/.exec(address.baseUrl) ?? [];
  if (addressBeforeV2 !== undefined)
    throw usageFailure(
      `${name} ends in /v2. Give the address before it: ${addressBeforeV2} (svc appends /v2 itself).`,
    );
  if (!address.baseUrl.endsWith(suffix)) return;
  const productionAddress = address.baseUrl.slice(0, -suffix.length);
  const message = `${name} is the address of the sandbox. Give the production address: ${productionAddress} (svc appends ${suffix} itself). Nothing was sent.`;
  throw new Failure(environment === 'live' ? 'unsafe' : 'usage', message);
}

type Provenance = Pick<Choices, 'environment'> &
  Readonly<Record<'profile' | 'baseUrl' | 'key', SourcedValue<string> | null>>;

interface CommonTarget extends Pick<Choices, 'country' | 'currency' | 'references'> {
  readonly provenance: Provenance;
}

interface EmbeddedTarget extends CommonTarget {
  readonly kind: 'embedded';
  readonly environment: 'sandbox';
}

export interface ServiceTarget extends CommonTarget {
  readonly kind: 'service';
  readonly environment: Environment;
  readonly baseUrl: string;
  readonly serviceUrl: string;
  readonly key: string;
  readonly profile: string | null;
  readonly notes: readonly string[];
}

export type Target = EmbeddedTarget | ServiceTarget;

export function readChoices({ env, paths }: Pick<Ports, 'env' | 'paths'>, where: Where): Choices {
  const { profile, live, sandbox, 'base-url': baseUrl, 'insecure-loopback': insecureLoopback } = where;
  const flags = { profile, live, sandbox, baseUrl, insecureLoopback };
  return chooseValues({ flags, env, settings: readSettings(paths) });
}

export async function findTarget(
  choices: Choices,
  env: Readonly<Environ>,
  readers: KeyReaders,
): Promise<Target> {
  const { country, currency, references } = choices;
  const defaults = { country, currency, references };
  if (choices.isNothingConfigured) {
    const provenance = provenanceOf(choices, null);
    return { kind: 'embedded', environment: 'sandbox', ...defaults, provenance };
  }
  const { baseUrl } = choices;
  const address = baseUrl === null ? null : readAddress(baseUrl.value, baseUrl.name);
  if (address !== null && baseUrl !== null)
    refuseSandboxAddress(address, baseUrl.name, choices.environment.value);
  if (choices.key === null) throw missingKeyFailure(choices);
  if (address !== null) {
    requirePinnedOrigin(choices, address);
    requireSafeTransport(choices, address, env);
  }
  const { key, note } = await readKey(choices.key, choices, address?.origin ?? '', readers);
  if (address === null) {
    throw unsafeFailure(
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
    ...defaults,
    provenance: provenanceOf(choices, { ...choices.key, value: showMask(maskOf(key)) }),
    notes: notes.filter((text) => text !== null),
  };
}

function provenanceOf(choices: Choices, key: SourcedValue<string> | null): Provenance {
  const { environment, baseUrl, profile } = choices;
  return {
    environment,
    baseUrl,
    key,
    profile: profile === null ? null : { ...profile, value: profile.value.name },
  };
}

function requirePinnedOrigin({ key, profile, baseUrl }: Choices, address: Address): void {
  if (key?.value.kind !== 'profile' || profile === null) return;
  const pinnedAddress = readAddress(profile.value.profile.base_url, `profile ${profile.value.name}`);
  if (pinnedAddress.origin === address.origin) return;
  throw unsafeFailure(
    `The key of ${key.name} is for ${pinnedAddress.origin}, but ${baseUrl?.name ?? ''} is ${address.origin}. ` +
      'svc never sends a key to another host: use a profile for that host.',
  );
}

function requireSafeTransport(choices: Choices, address: Address, env: Readonly<Environ>): void {
  if (choices.environment.value !== 'live') return;
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw unsafeFailure(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 turns off certificate checks. Unset it before you go live.',
    );
  }
  const name = choices.baseUrl?.name ?? '';
  if (address.isLoopback && allowsLoopback(choices, address)) return;
  if (!address.isHttps) {
    throw unsafeFailure(
      `The environment is live (${choices.environment.name}), but ${name} is http on ${address.host}. To rehearse, add --insecure-loopback.`,
    );
  }
  if (address.isIpLiteral) {
    throw unsafeFailure(
      `The environment is live (${choices.environment.name}), but ${name} is the IP address ${address.host}. Give the host's name: svc sends a live key only to a name.`,
    );
  }
}

/** `insecure_loopback` of a profile counts only for the profile's own address. */
function allowsLoopback({ insecureLoopback, profile }: Choices, address: Address): boolean {
  if (!insecureLoopback.value || insecureLoopback.source !== 'profile') return insecureLoopback.value;
  return readAddress(profile?.value.profile.base_url ?? '', 'the profile').origin === address.origin;
}

/** A live key in a variable must belong to the named profile, because another company's money would move. */
function judgeOverride({ key, profile, environment }: Choices, usedKey: ApiKey): string | null {
  const ownKey = profile?.value.profile.keys[environment.value];
  if (profile === null || ownKey === undefined || key?.source !== 'variable' || isMaskOf(ownKey, usedKey))
    return null;
  if (environment.value === 'live' && profile.source !== 'profile') {
    throw unsafeFailure(
      `${profile.name} names profile ${profile.value.name}, but ${key.name} contains a different key from its ${KEY_PREFIX.live} key. Unset one of them.`,
    );
  }
  return `The key comes from ${key.name}, not from profile ${profile.value.name}.`;
}
