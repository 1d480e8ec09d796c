import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import { Failure, usageFailure } from '../../runtime/failure.js';
import type { Environ } from '../../runtime/ports.js';
import type { Random } from '../../runtime/clock.js';

export interface StateKey {
  readonly check: Uint8Array;
  /** Returns a MAC. `head` must end with NUL, because two pairs of `head` and `bytes` could otherwise join to the same text. */
  seal(head: string, bytes: Uint8Array): Uint8Array;
  hide(bytes: Uint8Array, context: string): Uint8Array;
  reveal(hidden: Uint8Array, context: string): Uint8Array | null;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';
const BASE64 = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=?$/;

export function stateKeyOf(bytes: Uint8Array, random: Pick<Random, 'hex'>): StateKey {
  const deriveFor = (use: string): KeyObject =>
    createSecretKey(Buffer.from(hkdfSync('sha256', bytes, '', `svc state ${use} v1`, KEY_BYTES)));
  const [sealKey, bodyKey] = [deriveFor('seal'), deriveFor('bodies')];
  return {
    check: createHmac('sha256', deriveFor('check')).update('svc state').digest(),
    seal: (head, content) => createHmac('sha256', sealKey).update(head).update(content).digest(),
    hide: (content, context) => {
      const nonce = Buffer.from(random.hex(NONCE_BYTES), 'hex');
      const cipher = createCipheriv(CIPHER, bodyKey, nonce).setAAD(Buffer.from(context));
      const hidden = cipher.update(content);
      cipher.final();
      return Buffer.concat([nonce, hidden, cipher.getAuthTag()]);
    },
    reveal: (hidden, context) => {
      if (hidden.length < NONCE_BYTES + TAG_BYTES) return null;
      const [nonce, tag] = [hidden.subarray(0, NONCE_BYTES), hidden.subarray(-TAG_BYTES)];
      const cipher = createDecipheriv(CIPHER, bodyKey, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(context)).setAuthTag(tag);
      const content = cipher.update(hidden.subarray(NONCE_BYTES, -TAG_BYTES));
      try {
        cipher.final();
        return content;
      } catch {
        return null;
      }
    },
  };
}

export function readStateKey(
  env: Readonly<Environ>,
  readSecret: (path: string, name: string) => string,
  random: Pick<Random, 'hex'>,
): { readonly key: StateKey; readonly secrets: readonly string[] } | null {
  const name = 'SVC_STATE_KEY_FILE';
  const path = env[name];
  if (path === undefined) return null;
  if (path === '') throw usageFailure(`${name} is set but empty.`);
  const text = readSecret(path, name);
  if (!BASE64.test(text)) {
    const why = `${name} names a file that contains no key. Nothing was sent. A key is one line, 32 bytes in base64: openssl rand -base64 32`;
    throw new Failure('usage', why);
  }
  const bytes = Buffer.from(text, 'base64');
  const base64 = text.replace(/=$/, '');
  return {
    key: stateKeyOf(bytes, random),
    secrets: [text, base64, encodeURIComponent(base64), bytes.toString('base64url'), bytes.toString('hex')],
  };
}

export function keyProblem(
  { environment, key_check: check }: { readonly environment: string; readonly key_check: Uint8Array | null },
  key: StateKey | null,
): Failure | null {
  if (check === null && key === null)
    return environment === 'live' ? noKeyFailure('Live state is sealed') : null;
  if (key === null) return noKeyFailure('This state is sealed');
  if (check === null)
    return wrongKeyFailure(
      'This state was made without a key, but SVC_STATE_KEY_FILE names one',
      'Unset it, or make another state with it: add ?schema=NAME to the address, then run "svc state init"',
    );
  const isSame = check.length === key.check.length && timingSafeEqual(check, key.check);
  if (isSame) return null;
  return wrongKeyFailure(
    'SVC_STATE_KEY_FILE names a different key from the one that made this state',
    'Name the file that "svc state init" used',
  );
}

function noKeyFailure(what: string): Failure {
  const text = `${what} with a key, but none is set. Nothing was sent. Name the file of the key: SVC_STATE_KEY_FILE=FILE`;
  return new Failure('unsafe', text, { code: 'state_key_missing', outcome: 'not_sent' });
}

function wrongKeyFailure(what: string, nextStep: string): Failure {
  const facts = { code: 'state_key_differs', outcome: 'not_sent' } as const;
  return new Failure('local_state', `${what}. Nothing was sent. ${nextStep}.`, facts);
}
