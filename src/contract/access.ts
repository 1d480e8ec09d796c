/** The two environments share one contract. Only the API key and the base address differ (contract section 5). */
export const ENVIRONMENTS = ['sandbox', 'live'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export const KEY_PREFIX: Readonly<Record<Environment, string>> = { sandbox: 'svc_test_', live: 'svc_live_' };

export const ISSUED_KEY_PREFIX: Readonly<Record<Environment, string>> = {
  sandbox: KEY_PREFIX.sandbox,
  live: `${KEY_PREFIX.live}sandbox_`,
};

export const ENVIRONMENT_PATH: Readonly<Record<Environment, string>> = { sandbox: '/sandbox', live: '' };

export const SCOPES = [
  'payins:crear',
  'payouts:crear',
  'operaciones:leer',
  'saldos:leer',
  'webhooks:configurar',
] as const;
export type Scope = (typeof SCOPES)[number];

export function environmentOfKey(key: string): Environment | null {
  return ENVIRONMENTS.find((environment) => key.startsWith(KEY_PREFIX[environment])) ?? null;
}

export const EMBEDDED_ORIGIN = 'embedded';

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export function canonicalOrigin(address: string): string {
  if (!URL.canParse(address)) return address;
  const { protocol, hostname, port, origin } = new URL(address);
  if (!LOOPBACK_HOSTS.has(hostname)) return origin;
  return `${protocol}//localhost${port === '' ? '' : `:${port}`}`;
}

export function canonicalAddress(address: string): string {
  if (!URL.canParse(address)) return address;
  return canonicalOrigin(address) + new URL(address).pathname.replace(/\/+$/, '');
}

const KEY_MAX_CHARACTERS = 512;
/** The last four characters of a shorter key would show too much of it. */
const MASKABLE_CHARACTERS_MIN = 8;

export interface ApiKey {
  readonly text: string;
  readonly environment: Environment;
}

export type KeyMask = Readonly<Record<'prefix' | 'last4', string>>;

/** `reason` never contains the typed text, because the text may be a secret. */
export interface NoKey {
  readonly problem: 'empty' | 'prefix' | 'malformed';
  readonly reason: string;
}

export function readKeyText(text: string): ApiKey | NoKey {
  const key = text.trim();
  if (key === '') return { problem: 'empty', reason: 'contains no key' };
  const environment = environmentOfKey(key);
  if (environment === null) {
    const prefixes = `${KEY_PREFIX.sandbox} or ${KEY_PREFIX.live}`;
    return { problem: 'prefix', reason: `contains no key: a key begins with ${prefixes}` };
  }
  const malformed = (reason: string): NoKey => ({ problem: 'malformed', reason });
  if (key === KEY_PREFIX[environment]) return malformed('contains only the prefix of a key');
  if (key.length > KEY_MAX_CHARACTERS) return malformed('contains a text that is too long for a key');
  if (!/^[\x21-\x7e]+$/.test(key))
    return malformed('contains a key with spaces, or with characters that no key has');
  return { text: key, environment };
}

export function isApiKey(result: ApiKey | NoKey): result is ApiKey {
  return 'text' in result;
}

export function maskOf(key: ApiKey): KeyMask {
  const prefix = KEY_PREFIX[key.environment];
  const isMaskable = key.text.length - prefix.length >= MASKABLE_CHARACTERS_MIN;
  return { prefix, last4: isMaskable ? key.text.slice(-4) : '' };
}

export function showMask({ prefix, last4 }: KeyMask): string {
  return `${prefix}...${last4}`;
}

export function isMaskOf(mask: KeyMask, key: ApiKey): boolean {
  const { prefix, last4 } = maskOf(key);
  return mask.prefix === prefix && mask.last4 === last4;
}

export function hasKeyPrefix(text: string): boolean {
  return Object.values(KEY_PREFIX).some((prefix) => text.toLowerCase().includes(prefix));
}
