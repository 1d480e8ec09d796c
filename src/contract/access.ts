/**
 * Who may call what, and where: environments, the keys and addresses that belong to them, and the scopes a key carries (sections 4 and
 * 5). Pure.
 */

/** The two environments share one contract; only the key and the base address change (section 5). */
export const ENVIRONMENTS = ['sandbox', 'live'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** How the keys of an environment begin (section 5). */
export const KEY_PREFIX: Readonly<Record<Environment, string>> = { sandbox: 'svc_test_', live: 'svc_live_' };

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
