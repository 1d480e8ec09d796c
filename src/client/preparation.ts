/** What is decided before anything leaves: the request, its retry class and its key, to be shown, made durable, then sent. */
import type { RetryClass } from '../contract/endpoint.js';
import { endpoint, type EndpointId } from '../contract/endpoints.js';
import type { Random } from '../runtime/random.js';
import type { HttpRequest } from '../runtime/transport.js';
import type { Tried } from './attempt.js';
import { buildRawRequest, readTarget } from './raw-request.js';
import { buildRequest, type Input, type Origin } from './request.js';

export interface Prepared extends Pick<Tried, 'endpointId' | 'retry' | 'id' | 'idempotencyKey'> {
  readonly request: HttpRequest;
}

/** What fills in a request by hand: its path is whole already. */
export type RawInput = Pick<Input, 'query' | 'body'>;

/** 32 hexadecimal characters from a secure random source. */
export function newIdempotencyKey(random: Random): string {
  return random.hex(16);
}

/**
 * The request of a row of the table.
 * @param given the idempotency key of a keyed call; a new one without it
 * @throws InvalidRequest
 */
export function prepare(
  origin: Origin,
  random: Random,
  endpointId: EndpointId,
  input: Input,
  given?: string,
): Prepared {
  const { retry } = endpoint(endpointId);
  const idempotencyKey = keyFor(retry, random, given);
  const request = buildRequest(endpointId, input, origin, idempotencyKey);
  return { endpointId, retry, id: input.id ?? null, idempotencyKey, request };
}

/**
 * Any request below `/v2`. One that is a row of the table is treated as that row (a POST to a create is keyed);
 * outside the table a read is safe, and anything else is made once.
 * @throws InvalidRequest
 */
export function prepareRaw(
  origin: Origin,
  random: Random,
  method: string,
  path: string,
  input: RawInput,
  given?: string,
): Prepared {
  const target = readTarget(method, path, input.query);
  const { endpointId, id } = target;
  const reads = target.method === 'GET' || target.method === 'HEAD';
  const retry = endpointId !== null ? endpoint(endpointId).retry : reads ? 'safe' : 'once';
  const idempotencyKey = keyFor(retry, random, given);
  const request = buildRawRequest(target, input.body, origin, idempotencyKey);
  return { endpointId, retry, id, idempotencyKey, request };
}

function keyFor(retry: RetryClass, random: Random, given: string | undefined): string | null {
  return retry === 'keyed' ? (given ?? newIdempotencyKey(random)) : null;
}
