/** Who asks and where, as what is kept between runs remembers it; of a key the mask alone. */
import { isApiKey, maskOf, readKeyText, showMask } from '../profile/key-text.js';
import type { Session } from './session.js';

/** The address of the service of a session; the sandbox inside has none of its own, whoever serves it. */
export function addressOf({ target, serviceUrl }: Pick<Session, 'target' | 'serviceUrl'>): string {
  return target.kind === 'embedded' ? 'embedded' : serviceUrl;
}

/** The API key by its prefix and last four characters. */
export function maskOfKey(text: string): string {
  const key = readKeyText(text);
  return isApiKey(key) ? showMask(maskOf(key)) : '';
}
