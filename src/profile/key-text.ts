/** The text of an API key: what is one, which environment it is for, and how much of it may be shown (section 5). Pure. */
import { type Environment, environmentOfKey, KEY_PREFIX } from '../contract/access.js';

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
