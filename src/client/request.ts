/** Builds requests: a row of the table and what fills it in become the exact bytes that leave. Pure. */
import { endpoint, type EndpointId } from '../contract/endpoints.js';
import { jsonIn } from '../contract/json.js';
import { isObject } from '../contract/shape.js';
import { isIdempotencyKey, isUuid } from '../contract/notation.js';
import type { HttpRequest } from '../runtime/transport.js';

/** Who asks, and where: the same for every request of a command. */
export interface Origin {
  /** The address of the environment: what stands before `/v2`, already checked (scheme, host, no query). */
  readonly baseUrl: string;
  readonly key: string;
  /** Such as `svc/1.2.3`. */
  readonly userAgent: string;
  /** The caller's place in a trace, passed on as it is. */
  readonly traceparent?: string | undefined;
}

/** What fills in a row of the table. */
export interface RequestInput {
  /** The operation, where the path has one. */
  readonly id?: string;
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** The exact bytes of the body; a POST that takes none sends `{}`. */
  readonly body?: Uint8Array;
  /** What is in the body of a create, where that was read before. */
  readonly members?: BodyMembers | undefined;
}

/** The members of a body. */
export type BodyMembers = Readonly<Record<string, unknown>>;

/** Null for bytes that are no JSON object. */
export function bodyMembersOf(body: Uint8Array | null): BodyMembers | null {
  const value = body === null ? undefined : jsonIn(body);
  return isObject(value) ? value : null;
}

/** Thrown before anything is sent: the caller gave something from which no request may be built. A usage error. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
  constructor(
    readonly field: 'id' | 'Idempotency-Key' | 'method' | 'path',
    message: string,
  ) {
    super(message);
  }
}

/**
 * The body of a POST that takes none (sections 4: resend-code, cancel). A server of this contract accepts nothing, `null` and `{}`;
 * the last is the one that a reader of `Content-Type: application/json` cannot stumble over.
 */
const NO_BODY = new TextEncoder().encode('{}');

/**
 * The request of a row of the table (section 4).
 * @throws InvalidRequest for an id that is no uuid (it would leave the route), or a key that no header carries
 */
export function buildRequest(
  endpointId: EndpointId,
  input: RequestInput,
  origin: Origin,
  idempotencyKey: string | null,
): HttpRequest {
  const { method, path } = endpoint(endpointId);
  const target = path.replace('{id}', () => checkedId(input.id)) + queryOf(input.query);
  return requestTo({ method, target }, input.body, origin, idempotencyKey);
}

/** The request as it goes out. @throws InvalidRequest for an idempotency key that no header carries */
export function requestTo(
  { method, target }: { readonly method: string; readonly target: string },
  body: Uint8Array | undefined,
  origin: Origin,
  idempotencyKey: string | null,
): HttpRequest {
  if (idempotencyKey !== null && !isIdempotencyKey(idempotencyKey)) {
    throw new InvalidRequest(
      'Idempotency-Key',
      'The idempotency key must be 8 to 128 printable ASCII characters, without leading or trailing spaces.',
    );
  }
  const bytes = body ?? (method === 'POST' ? NO_BODY : null);
  return {
    method,
    url: origin.baseUrl.replace(/\/+$/, '') + target,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      authorization: `Bearer ${origin.key}`,
      'user-agent': origin.userAgent,
      // What somebody in between has kept says neither what is true now nor what time it is.
      ...(method === 'GET' ? { 'cache-control': 'no-cache' } : {}),
      ...(bytes === null ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
      ...(origin.traceparent === undefined ? {} : { traceparent: origin.traceparent }),
    },
    body: bytes,
  };
}

function checkedId(id: string | undefined): string {
  if (id !== undefined && isUuid(id)) return id;
  throw new InvalidRequest(
    'id',
    'The id must be a uuid such as 6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f, or 6 or more of its first characters. "svc operations find REFERENCE" looks for a reference. Nothing was sent.',
  );
}

function queryOf(query: RequestInput['query']): string {
  const given = Object.entries(query ?? {}).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

/** Version, trace, parent, flags; a later version may go on behind them. */
const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-[\x21-\x7e]{0,200})?$/;

/** The place in a trace (W3C Trace Context) as `TRACEPARENT` says it, passed on as it is; undefined where there is none, or none that the standard allows. */
export function readTraceparent(text: string | undefined): string | undefined {
  const [whole, version, trace, parent, more] = FORM.exec(text ?? '') ?? [];
  if (whole === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return isZero(trace) || isZero(parent) ? undefined : whole;
}

function isZero(digits = ''): boolean {
  return /^0*$/.test(digits);
}
