/** The proxy that the environment names: https goes through it, http (loopback only) never does. */
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';

export interface Proxy {
  /** An `http:` or `https:` URL; it may hold a password. */
  readonly https: string;
  /** As NO_PROXY has it. */
  readonly except: string;
}

/** Null where there is none. @throws Failure `usage` (`proxy_invalid`) naming the variable, and never its value */
export function readProxy(env: Ports['env']): Proxy | null {
  const name = env['https_proxy'] === undefined ? 'HTTPS_PROXY' : 'https_proxy';
  const https = env[name] ?? '';
  if (https === '') return null;
  if (!isProxy(https)) {
    throw new Failure(
      'usage',
      `${name} is no address of a proxy: it takes http://HOST:PORT, with the "http://", and a "%" in a password is "%25". Nothing was sent.`,
      { code: 'proxy_invalid' },
    );
  }
  return { https, except: env['no_proxy'] ?? env['NO_PROXY'] ?? '' };
}

/** "proxy.corp:3128" is a URL too: one of the scheme "proxy.corp". */
function isProxy(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isHttp = (protocol === 'http:' || protocol === 'https:') && /^https?:\/\//i.test(text);
  return isHttp && hostname !== '' && isEncoded(username) && isEncoded(password);
}

/** A password may hold a "%" that stands for itself; what reads the address would end with an error of its own. */
function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
