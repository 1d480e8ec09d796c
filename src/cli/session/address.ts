/** Who asks and where, as what is kept between runs remembers it: address and environment, and of the key its mask alone. */
import type { Environment } from '../../contract/access.js';
import { canonicalOrigin, EMBEDDED_ORIGIN } from '../../contract/origin.js';
import { keyPrint } from '../../profile/key-print.js';
import { isApiKey, maskOf, readKeyText, showMask } from '../../profile/key-text.js';
import type { Ports } from '../../runtime/ports.js';
import type { Session } from './session.js';

/** An address (`embedded` for the sandbox inside, whoever serves it) and the environment that is meant there. */
export interface ServiceAddress {
  readonly address: string;
  readonly environment: Environment;
}

/** The sandbox inside. */
export const EMBEDDED: ServiceAddress = { address: EMBEDDED_ORIGIN, environment: 'sandbox' };

/** Where a session sends. */
export function serviceAddressOf({ target, environment, serviceUrl }: Session): ServiceAddress {
  return target.kind === 'embedded' ? EMBEDDED : { address: serviceUrl, environment };
}

/** A place with what tells whether it is the same one: the address in one form, and a print of the key. */
export interface Sender extends ServiceAddress {
  readonly origin: string;
  readonly keyPrint: string;
}

/** Who sends, and where, as what is kept between runs knows it again. @throws Failure `local_state` */
export async function senderOf(session: Session, ports: Ports): Promise<Sender> {
  const place = serviceAddressOf(session);
  return {
    ...place,
    origin: canonicalOrigin(place.address),
    keyPrint: await keyPrint(ports, session.key),
  };
}

/** The API key by its prefix and last four characters. */
export function maskOfKey(text: string): string {
  const key = readKeyText(text);
  return isApiKey(key) ? showMask(maskOf(key)) : '';
}

/** Whether what was kept left with this key, for this origin. Without a print, as older versions kept it, the mask is the best there is. */
export function isSameSender(
  kept: Pick<Sender, 'origin' | 'keyPrint'> & { readonly keyMask: string },
  here: Pick<Sender, 'origin' | 'keyPrint'>,
  { key }: Session,
): boolean {
  if (kept.origin !== here.origin) return false;
  return kept.keyPrint === '' ? kept.keyMask === maskOfKey(key) : kept.keyPrint === here.keyPrint;
}
