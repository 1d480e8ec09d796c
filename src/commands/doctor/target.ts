/** Where requests would go: every setting with where it came from, and where its key is kept. */
import { profileOf } from '../../profile/settings.js';
import { readSettings } from '../../profile/settings-file.js';
import type { Target } from '../../profile/target.js';
import type { Ports } from '../../runtime/ports.js';
import { ok, warning, type Finding } from './finding.js';

export function findTarget(target: Target, ports: Ports): Finding[] {
  const { environment, profile, baseUrl, key } = target.provenance;
  return [
    ok('profile', profile === null ? 'none' : `${profile.value} (${profile.name})`),
    ok('environment', `${environment.value} (${environment.name})`),
    ok('address', baseUrl === null ? 'the embedded sandbox' : `${baseUrl.value} (${baseUrl.name})`),
    key === null ? ok('key', 'none is needed') : ok('key', `${key.value} (${key.name})`),
    ...(profile === null ? [] : [findStorage(profile.value, target, ports)]),
    ...(target.kind === 'service' ? target.notes.map((note) => warning('settings', note)) : []),
  ];
}

function findStorage(name: string, { environment }: Target, { paths }: Ports): Finding {
  const stored = profileOf(readSettings(paths), name)?.keys[environment]?.stored;
  if (stored === undefined) return ok('key storage', 'not from the profile');
  if (stored === 'keystore') return ok('key storage', "the system's key store");
  const text = 'a file that only you can read (0600)';
  if (environment === 'sandbox') return ok('key storage', text);
  // Stored again here it would be refused: whether there is a key store is what nobody but the person can change.
  return warning(
    'key storage',
    `The live key is in ${text}. Once this machine has a key store, "svc profiles set-key ${name}" puts it there.`,
  );
}
