import { heldBy } from './mutant.js';

const safety = heldBy('session/resolver');
const address = heldBy('session/resolver');
const keyText = heldBy('contract/key-text');

export const profile = [
  safety('requirePinnedOrigin', "a profile's key goes to the same host over another scheme", [
    'pinnedAddress.origin === address.origin',
    'pinnedAddress.host === address.host',
  ]),
  safety('requireSafeTransport', 'live goes out with certificates unchecked', [
    "env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'",
    "env['NODE_TLS_REJECT_UNAUTHORIZED'] === 'false'",
  ]),
  safety('requireSafeTransport', 'a live key goes to an address by its number', [
    'if (address.isIpLiteral) {',
    'if (address.isIpLiteral && address.isLoopback) {',
  ]),
  safety('judgeOverride', "a variable's key moves the money of another company than the named profile", [
    "if (environment.value === 'live' && profile.source !== 'profile') {",
    "if (environment.value !== 'live' && profile.source !== 'profile') {",
  ]),
  safety('allowsLoopback', 'a profile that rehearses on this machine allows every address to', [
    ", 'the profile').origin === address.origin;",
    ", 'the profile').isLoopback;",
  ]),
  address('addressOf', 'a name that begins with 127. is this machine', [
    "(isIpV4 && hostName.startsWith('127.'))",
    "hostName.startsWith('127.')",
  ]),
  address('readAddress', 'a query in an address is passed over', [
    "if (text.includes('?') || text.includes('#'))",
    'if (text.length < 0)',
  ]),
  keyText('maskOf', 'a short key is shown almost whole', ['>= MASKABLE_CHARACTERS_MIN', '> 4']),
  keyText('hasKeyPrefix', 'a key in capitals is no key', [
    'text.toLowerCase().includes(prefix)',
    'text.includes(prefix)',
  ]),
];
