/** A keyed request as the book takes it: its bytes, where it goes and who asks, the API key only masked and printed. */
import type { Prepared } from '../../client/preparation.js';
import type { Leaving } from '../../journal/request.js';
import type { Ports } from '../../runtime/ports.js';
import { maskOfKey, senderOf } from '../session/address.js';
import type { Session } from '../session/session.js';

/** @param isOwnKey the caller named the key @throws TypeError for a request that is no create */
export async function leavingOf(
  session: Session,
  ports: Ports,
  { endpointId, idempotencyKey, request }: Prepared,
  isOwnKey: boolean,
): Promise<Leaving> {
  if (endpointId === null || idempotencyKey === null || request.body === null) {
    throw new TypeError('only a create is kept in the journal');
  }
  const { body, url } = request;
  return {
    ...{ idempotencyKey, isOwnKey, endpoint: endpointId, body },
    ...(await senderOf(session, ports)),
    path: url.slice(session.serviceUrl.length),
    keyMask: maskOfKey(session.key),
    firstLeftMs: session.clock.now(),
  };
}
