/** A prepared create as the journal records it, and what it is about. */
import type { Prepared } from '../../client/preparation.js';
import type { Journal } from '../../journal/journal.js';
import { type About, aboutOf, type Leaving } from '../../journal/request.js';
import type { Where } from '../line/where.js';
import { maskOfKey, senderOf } from '../session/address.js';
import type { SessionRun } from '../session/session.js';

export interface LeavingCreate {
  readonly leaving: Leaving;
  readonly about: About;
}

/** @param isOwnKey the caller named the key @throws TypeError for a request that is no create; Failure `local_state` */
export async function leavingOf(
  { session, ports }: SessionRun<Where>,
  { keySalt }: Journal,
  { endpointId: endpoint, idempotencyKey, request }: Prepared,
  isOwnKey: boolean,
): Promise<LeavingCreate> {
  if (endpoint === null || idempotencyKey === null || request.body === null)
    throw new TypeError('only a create is kept in the journal');
  const { body, url } = request;
  const leaving = {
    ...{ idempotencyKey, isOwnKey, endpoint, body, series: null, generation: null },
    ...(await senderOf(session, ports, keySalt)),
    path: url.slice(session.serviceUrl.length),
    keyMask: maskOfKey(session.key),
  };
  return { leaving, about: aboutOf(endpoint, body) };
}
