/** The address of a service: parsed, judged by the rules of section 2 of the command-line contract, and never repeated raw. Pure. */
import { type Environment, ENVIRONMENT_PATH } from '../contract/access.js';
import { Failure } from '../runtime/failure.js';

export interface Address {
  /** The production address without a slash at its end. */
  readonly baseUrl: string;
  /** Scheme, host and port: what a profile's key is pinned to. */
  readonly origin: string;
  /** Host and port, for messages. */
  readonly host: string;
  readonly isHttps: boolean;
  /** localhost, 127.0.0.0/8 or [::1], as parsed. */
  readonly isLoopback: boolean;
  readonly isIpLiteral: boolean;
}

/**
 * Reads a production address.
 * @param name where the text came from, such as `--base-url`; the text itself may hold a password and stays out of messages
 * @throws Failure `usage` for what is no URL, `unsafe` for another scheme, userinfo, query, fragment, or http beyond loopback
 */
export function readAddress(text: string, name: string): Address {
  const url = parse(text, name);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw unsafe(`${name} must begin with https://.`);
  }
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/]*@/.test(text)) {
    throw unsafe(`${name} contains a user name or a password. Put the key in a profile or in SVC_API_KEY.`);
  }
  if (text.includes('?') || text.includes('#'))
    throw unsafe(`${name} contains a query or a fragment. Remove it.`);
  const address = describe(url);
  if (!address.isHttps && !address.isLoopback) {
    throw unsafe(`${name} is http on ${address.host}. http is for this machine only: use https.`);
  }
  return address;
}

/** The origin of an address that was judged before; an address that somebody broke since then is its own origin. */
export function originOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl;
}

/** Where requests of an environment go: `/v2/...` is appended to it. */
export function serviceUrl(address: Address, environment: Environment): string {
  return address.baseUrl + ENVIRONMENT_PATH[environment];
}

/**
 * Refuses the sandbox's address, or one with the version, where the production address belongs: `/sandbox` and `/v2` would be appended twice.
 * @throws Failure `usage`, or `unsafe` for the sandbox's where the environment is live (they disagree)
 */
export function refuseSandboxAddress(address: Address, name: string, environment: Environment): void {
  const suffix = ENVIRONMENT_PATH.sandbox;
  const [, before] = /^(https?:\/\/[^/]+)(?:\/sandbox)?\/v2$/.exec(address.baseUrl) ?? [];
  if (before !== undefined)
    throw new Failure(
      'usage',
      `${name} ends in /v2. Give the address before it: ${before} (svc appends /v2 itself). Nothing was sent.`,
    );
  if (!address.baseUrl.endsWith(suffix)) return;
  const production = address.baseUrl.slice(0, -suffix.length);
  throw new Failure(
    environment === 'live' ? 'unsafe' : 'usage',
    `${name} is the address of the sandbox. Give the production address: ${production} (svc appends ${suffix} itself). Nothing was sent.`,
  );
}

function parse(text: string, name: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  // The parser drops tabs and newlines and takes `\` for `/` and `localhost:4010` for a scheme: nobody means those.
  const isPlain =
    /^[^\s\\\p{Cc}]+$/u.test(text) && !/^[a-z0-9.-]+:\d/i.test(text) && !/^https?:(?!\/\/)/i.test(text);
  if (url === null || !isPlain) {
    throw new Failure(
      'usage',
      `${name} is not a URL. Give the full address, for example https://api.example.com. Nothing was sent.`,
    );
  }
  return url;
}

function describe(url: URL): Address {
  const name = url.hostname;
  const isIpV4 = /^\d+\.\d+\.\d+\.\d+$/.test(name);
  return {
    baseUrl: url.origin + url.pathname.replace(/\/+$/, ''),
    origin: url.origin,
    host: url.host,
    isHttps: url.protocol === 'https:',
    isLoopback: name === 'localhost' || name === '[::1]' || (isIpV4 && name.startsWith('127.')),
    isIpLiteral: isIpV4 || name.startsWith('['),
  };
}

function unsafe(what: string): Failure {
  return new Failure('unsafe', `${what} Nothing was sent.`);
}
