/** What the journal keeps of a keyed request: its bytes, where it goes and who asks, the API key only masked. */
import type { Prepared } from '../client/preparation.js';
import type { Intent } from '../journal/intent.js';
import type { Ports } from '../runtime/ports.js';
import { addressOf, maskOfKey } from './address.js';
import type { Session } from './session.js';

/** An address and the environment that is meant there. */
export type Place = Pick<Intent, 'address' | 'environment'>;

/** Where a session sends. */
export function placeOf(session: Session): Place {
  return { address: addressOf(session), environment: session.environment };
}

/** True where both went, or go, to the same address and environment. */
export function isSamePlace(a: Place, b: Place): boolean {
  return a.address === b.address && a.environment === b.environment;
}

/** @throws TypeError for a request that is no create */
export function intentOf(
  session: Session,
  { clock }: Ports,
  { endpointId, idempotencyKey, request }: Prepared,
): Intent {
  if (endpointId === null || idempotencyKey === null || request.body === null) {
    throw new TypeError('only a create is kept in the journal');
  }
  return {
    idempotencyKey,
    endpoint: endpointId,
    ...placeOf(session),
    path: request.url.slice(session.serviceUrl.length),
    body: request.body,
    keyMask: maskOfKey(session.key),
    createdAtMs: clock.now(),
  };
}
