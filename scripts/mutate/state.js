/** Mistakes in where the shared state is, and in what a statement that failed means. */
import { inFile } from './mutant.js';

const place = inFile('state/place.ts', 'state/place');
const address = inFile('state/address.ts', 'state/place');
const source = inFile('state/source.ts', 'state/place');
const key = inFile('state/key.ts', 'state/key');

export const state = [
  address('the password of a database crosses the network in the clear', [
    'if (isEncrypted) return true;\n  throw',
    'if (isEncrypted) return true;\n  if (name !== mode) return false;\n  throw',
  ]),
  source('a variable that a script left empty means the files of this machine', [
    "if (text === '') throw wrongPlace(name, 'is set, and empty');",
    "if (text === '') continue;",
  ]),
  place('a password is shown with the address', [
    'shown: `postgres://${url.username}@',
    'shown: `postgres://${url.username}:${url.password}@',
  ]),
  place('a password that was rotated is the old one for as long as the program runs', [
    "const now = kind === 'path' ? stateUrl(parts.secret(source.text, name), name) : url;",
    'const now = url;',
  ]),
  key('another key than that of the state is taken', [
    'if (isSame) return null;',
    'if (isSame || check !== null) return null;',
  ]),
  key('a live state needs no key', [
    "return environment === 'live' ? missing('Live state is kept') : null;",
    'return null;',
  ]),
  key('a state that was made without a key is taken for one of this key', [
    '  if (check === null)\n    return differs(',
    "  if (check === null && environment === 'live')\n    return differs(",
  ]),
  key('a seal does not cover the body', ['.update(head).update(sealed).digest()', '.update(head).digest()']),
  key('a body can be opened wherever it is put', [
    'cipher.setAAD(Buffer.from(place)).setAuthTag(tag);',
    'cipher.setAAD(Buffer.from(place)).setAuthTag(tag);\n      if (tag.length > 0) return cipher.update(hidden.subarray(NONCE_BYTES, -TAG_BYTES));',
  ]),
  key('what is hidden twice is hidden the same way', [
    "const nonce = Buffer.from(random.hex(NONCE_BYTES), 'hex');",
    'const nonce = Buffer.alloc(NONCE_BYTES);',
  ]),
  key('a key that is printed in hexadecimal is not hidden', [", bytes.toString('hex')]", ']']),
];
