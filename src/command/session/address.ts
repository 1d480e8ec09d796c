/** Who asks and where, as what is kept between runs remembers it: address and environment, and of the key its mask alone. */
import type { Environment } from '../../contract/access.js';
import { isApiKey, maskOf, readKeyText, showMask } from '../../profile/key-text.js';
import type { Session } from './session.js';

/** An address (`embedded` for the sandbox inside, whoever serves it) and the environment that is meant there. */
export interface Place {
  readonly address: string;
  readonly environment: Environment;
}

/** The sandbox inside; no address of a service is written like it. */
export const EMBEDDED: Place = { address: 'embedded', environment: 'sandbox' };

/** Where a session sends. */
export function placeOf({ target, environment, serviceUrl }: Session): Place {
  return target.kind === 'embedded' ? EMBEDDED : { address: serviceUrl, environment };
}

/** True where both went, or go, to the same address and environment. */
export function isSamePlace(a: Place, b: Place): boolean {
  return a.address === b.address && a.environment === b.environment;
}

/** The API key by its prefix and last four characters. */
export function maskOfKey(text: string): string {
  const key = readKeyText(text);
  return isApiKey(key) ? showMask(maskOf(key)) : '';
}
