/** Which server an address means: the one form that all spellings of an origin share. Pure; it is compared with what was stored. */

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
