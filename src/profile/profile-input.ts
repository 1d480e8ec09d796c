/** What a person gives for a profile, checked: each of these returns the value or throws a usage failure that names it. Pure. */
import { Failure } from '../runtime/failure.js';
import { isApiKey, readKeyText, type ApiKey } from './key-text.js';
import { isProfileName, profileOf, type Profile, type Settings } from './settings.js';

/** The name of a new profile; a malformed one is not repeated: it may be a key. @throws Failure `usage` */
export function requireNewName(settings: Settings, name: string): string {
  if (!isProfileName(name)) {
    throw usage(
      'A profile name has 1 to 64 of a-z, 0-9, dot, dash and underscore, and begins with a letter or digit.',
    );
  }
  if (profileOf(settings, name) === null) return name;
  throw usage(
    `There is a profile ${name} already. Change its key with "svc profiles set-key ${name}", or remove it first.`,
  );
}

/** A profile that is there. @throws Failure `usage` */
export function requireProfile(settings: Settings, name: string): Profile {
  const profile = profileOf(settings, name);
  if (profile !== null) return profile;
  throw usage(isProfileName(name) ? `There is no profile ${name}.` : 'No profile has such a name.');
}

/** A key as it was piped. @throws Failure `usage` */
export function requireKey(text: string): ApiKey {
  const key = readKeyText(text);
  if (isApiKey(key)) return key;
  throw usage(`Standard input ${key.reason}. Nothing was stored.`);
}

/** A country (two letters) or currency (three) in capitals. @throws Failure `usage` */
export function requireCode(text: string, letters: 2 | 3, name: string): string {
  if (text.length === letters && /^[A-Za-z]+$/.test(text)) return text.toUpperCase();
  throw usage(`${name} takes ${letters === 2 ? 'two letters, such as VE' : 'three letters, such as VES'}.`);
}

function usage(message: string): Failure {
  return new Failure('usage', message, { nextCommand: 'svc profiles list' });
}
