/** Mistakes in where the shared state is, and in what a statement that failed means. */
import { inFile } from './mutant.js';

const place = inFile('state/place.ts', 'state/place');
const address = inFile('state/address.ts', 'state/place');
const source = inFile('state/source.ts', 'state/place');

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
];
