/** What the answers to a request are held to: the operation that the path names, the direction of the path, and what a create asks for. Pure. */
import { askedOf, type Asked } from '../contract/operation-facts.js';
import { endpoint, operationsOf } from '../contract/endpoints.js';
import type { HttpRequest } from '../runtime/transport.js';
import type { Prepared } from './preparation.js';
import type { Expected } from './response.js';

/** One request, and what its answers are held to. */
export interface HeldRequest {
  readonly request: HttpRequest;
  /** It names what nobody has asked for before. */
  readonly isFresh?: boolean;
  readonly expected: Expected;
  /** Null for a request that is no row of the table. */
  readonly asked: Asked | null;
}

export function heldRequestOf({ endpointId, id, request, retry }: Prepared): HeldRequest {
  if (endpointId === null) return { request, expected: null, asked: null };
  const sent = retry === 'keyed' ? membersOf(request.body) : {};
  const asked = { ...askedOf(sent, operationsOf(endpointId)), ...(id === null ? {} : { id }) };
  return { request, expected: endpoint(endpointId), asked };
}

/** None for bytes that nothing can be read from. */
function membersOf(bytes: Uint8Array | null): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(Buffer.from(bytes ?? []).toString('utf8'));
    return typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
