/** What the journal keeps of a keyed request: its bytes, where it goes and who asks, the API key only masked. */
import type { Prepared } from '../../client/preparation.js';
import type { Intent } from '../../journal/intent.js';
import type { Ports } from '../../runtime/ports.js';
import { maskOfKey, placeOf } from '../session/address.js';
import type { Session } from '../session/session.js';

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
