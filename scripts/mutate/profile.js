/** Mistakes in where a key may go and how much of it is shown. */
import { inFile } from './mutant.js';

const safety = inFile('profile/safety.ts', 'profile/resolver');
const address = inFile('profile/address.ts', 'profile/resolver');
const keyText = inFile('profile/key-text.ts', 'profile/key-text');

export const profile = [
  safety("a profile's key goes to the same host over another scheme", [
    'pinned.origin === address.origin',
    'pinned.host === address.host',
  ]),
  safety('live goes out with certificates unchecked', [
    "env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'",
    "env['NODE_TLS_REJECT_UNAUTHORIZED'] === 'false'",
  ]),
  safety('a live key goes to an address by its number', [
    'if (address.isIpLiteral) {',
    'if (address.isIpLiteral && address.isLoopback) {',
  ]),
  safety("a variable's key moves the money of another company than the named profile", [
    "if (environment.value === 'live' && profile.source !== 'profile') {",
    "if (environment.value !== 'live' && profile.source !== 'profile') {",
  ]),
  safety('a profile that rehearses on this machine allows every address to', [
    ", 'the profile').origin === address.origin;",
    ", 'the profile').isLoopback;",
  ]),
  address('a name that begins with 127. is this machine', [
    "(isIpV4 && name.startsWith('127.'))",
    "name.startsWith('127.')",
  ]),
  address('a query in an address is passed over', [
    "if (text.includes('?') || text.includes('#'))",
    'if (text.length < 0)',
  ]),
  keyText('a short key is shown almost whole', ['>= MASKABLE_CHARACTERS', '> 4']),
  keyText('a key in capitals is no key', ['text.toLowerCase().includes(prefix)', 'text.includes(prefix)']),
];
