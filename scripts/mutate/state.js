/** Mistakes in where the shared state is, and in what a statement that failed means. */
import { inFile } from './mutant.js';

const place = inFile('state/place.ts', 'state/place');

export const state = [
  place('the password of a database crosses the network in the clear', [
    'if (isEncrypted) return { ca: null };\n  throw',
    'if (isEncrypted) return { ca: null };\n  if (name !== mode) return null;\n  throw',
  ]),
  place('a variable that a script left empty means the files of this machine', [
    "if (value === '') throw wrong(name, 'is set, and empty');",
    "if (value === '') continue;",
  ]),
  place('a password is shown with the address', [
    'const shown = `postgres://${url.username}@',
    'const shown = `postgres://${url.username}:${url.password}@',
  ]),
];
