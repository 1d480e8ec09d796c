/**
 * Who may call what, and where: environments, the keys and addresses that belong to them, the scopes a key carries, and how much of its text
 * may be shown (sections 4 and 5). Pure.
 */

/** The two environments share one contract; only the key and the base address change (section 5). */
export const ENVIRONMENTS = ['sandbox', 'live'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** How the keys of an environment begin (section 5). */
export const KEY_PREFIX: Readonly<Record<Environment, string>> = { sandbox: 'svc_test_', live: 'svc_live_' };

/** How the keys that a sandbox makes begin: a live one is never taken for the key of a real account. */
export const OWN_KEY_PREFIX: Readonly<Record<Environment, string>> = {
  sandbox: KEY_PREFIX.sandbox,
  live: `${KEY_PREFIX.live}sandbox_`,
};

/** What stands between the production address and `/v2` in each environment. */
export const ENVIRONMENT_PATH: Readonly<Record<Environment, string>> = { sandbox: '/sandbox', live: '' };

/** The scopes of section 5, in the order in which the specification lists them. */
export const SCOPES = [
  'payins:crear',
  'payouts:crear',
  'operaciones:leer',
  'saldos:leer',
  'webhooks:configurar',
] as const;
export type Scope = (typeof SCOPES)[number];

/** The environment a key belongs to by its prefix, or null where the text is no key of this service. */
export function environmentOfKey(key: string): Environment | null {
  return ENVIRONMENTS.find((environment) => key.startsWith(KEY_PREFIX[environment])) ?? null;
}

/** The sandbox inside svc; no address of a service is written like it. */
export const EMBEDDED_ORIGIN = 'embedded';

/** Three names of this machine. Another address of 127.0.0.0/8 may be another server. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Scheme, host and port of an address in lower case, without the scheme's own port; `localhost`, `127.0.0.1` and `[::1]` are one.
 * `embedded`, and what is no URL, is its own origin.
 */
export function canonicalOrigin(address: string): string {
  if (!URL.canParse(address)) return address;
  const { protocol, hostname, port, origin } = new URL(address);
  if (!LOOPBACK.has(hostname)) return origin;
  return `${protocol}//localhost${port === '' ? '' : `:${port}`}`;
}

/** The same with the path behind it, without slashes at its end: two spellings of an address of the service are one. What is no URL stays as it is. */
export function canonicalAddress(address: string): string {
  if (!URL.canParse(address)) return address;
  return canonicalOrigin(address) + new URL(address).pathname.replace(/\/+$/, '');
}

/** Longer than any key, shorter than a file that was piped by mistake. */
const MAX_CHARACTERS = 512;
/** Of a secret part shorter than this, four characters would give too much away. */
const MASKABLE_CHARACTERS = 8;

/** A key and the environment its prefix names. */
export interface ApiKey {
  readonly text: string;
  readonly environment: Environment;
}

/** All that is kept and shown of a key outside its store. */
export interface KeyMask {
  readonly prefix: string;
  /** The last four characters; empty where the key is too short to show any. */
  readonly last4: string;
}

/** Why a text is no key: nothing there, not this service's prefix, or something no header carries. Never the text itself. */
export interface NoKey {
  readonly problem: 'empty' | 'prefix' | 'malformed';
  /** Completes "SVC_API_KEY ...". */
  readonly reason: string;
}

/** Reads a key; white space around it (the newline of a pipe) does not count. */
export function readKeyText(text: string): ApiKey | NoKey {
  const key = text.trim();
  if (key === '') return { problem: 'empty', reason: 'contains no key' };
  const environment = environmentOfKey(key);
  if (environment === null) {
    const prefixes = `${KEY_PREFIX.sandbox} or ${KEY_PREFIX.live}`;
    return { problem: 'prefix', reason: `contains no key: a key begins with ${prefixes}` };
  }
  if (key === KEY_PREFIX[environment])
    return { problem: 'malformed', reason: 'contains only the prefix of a key' };
  if (key.length > MAX_CHARACTERS)
    return { problem: 'malformed', reason: 'contains a text that is too long for a key' };
  if (!/^[\x21-\x7e]+$/.test(key)) {
    return { problem: 'malformed', reason: 'contains a key with spaces, or with characters that no key has' };
  }
  return { text: key, environment };
}

export function isApiKey(read: ApiKey | NoKey): read is ApiKey {
  return 'text' in read;
}

/** What may be kept of a key in the settings and shown to people. */
export function maskOf(key: ApiKey): KeyMask {
  const prefix = KEY_PREFIX[key.environment];
  const maskable = key.text.length - prefix.length >= MASKABLE_CHARACTERS;
  return { prefix, last4: maskable ? key.text.slice(-4) : '' };
}

/** A masked key as text, such as `svc_test_...1a2b`. */
export function showMask({ prefix, last4 }: KeyMask): string {
  return `${prefix}...${last4}`;
}

/** True where the mask is the one of this key. */
export function isMaskOf(mask: KeyMask, key: ApiKey): boolean {
  const { prefix, last4 } = maskOf(key);
  return mask.prefix === prefix && mask.last4 === last4;
}

/** True where a text holds what may be a key: such a text is never repeated in a message. */
export function holdsKey(text: string): boolean {
  return Object.values(KEY_PREFIX).some((prefix) => text.toLowerCase().includes(prefix));
}
