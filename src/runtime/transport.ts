/** The port to a service: a function from a request to an answer. undici is one kind, the embedded sandbox another, a fault wraps either. */

export interface HttpRequest {
  readonly method: string;
  /** Absolute, already checked: scheme, host, no userinfo, no fragment. */
  readonly url: string;
  /** Names as they stand on the wire, each once. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

export interface HttpAnswer {
  readonly status: number;
  /** Name and value pairs in the order received; names in any case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

export interface TransportOptions {
  /** The limit for the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Only the status matters: the body is thrown away (`body` is empty), and nothing that is wrong with it is a failure. */
  readonly ignoresBody?: boolean | undefined;
  /** Of a body that is ignored, about so many of its first bytes are handed over all the same; default none. */
  readonly keptBytes?: number | undefined;
  /** Called when a part of the body has arrived. The body is not kept then, and may go on for ever; without a wire it arrives whole. */
  readonly onArrival?: (() => void) | undefined;
  /** Asked in the moment in which it is written; where it says no, nothing leaves. */
  readonly mayLeave?: (() => boolean) | undefined;
}

/** @throws NotAnswered where no whole answer came; nothing else is thrown on purpose. */
export type Transport = (request: HttpRequest, options: TransportOptions) => Promise<HttpAnswer>;

/** Why no whole answer came. */
export const NOT_ANSWERED_REASONS = [
  'name',
  'connect',
  'tls',
  'reset',
  'timeout',
  'truncated',
  'too_large',
  'encoding',
  'malformed',
  'late',
  'aborted',
] as const;
export type NotAnsweredReason = (typeof NOT_ANSWERED_REASONS)[number];

/**
 * Thrown by a transport when no whole answer came.
 * `sent` is false only where it is certain that nothing left: the name, the connection or the handshake never completed.
 */
export class NotAnswered extends Error {
  override readonly name = 'NotAnswered';
  constructor(
    readonly reason: NotAnsweredReason,
    readonly sent: boolean,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The first value of a header, its name in any case; undefined where it is absent. */
export function headerOf(answer: Pick<HttpAnswer, 'headers'>, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return answer.headers.find(([key]) => key.toLowerCase() === wanted)?.[1];
}

const HERE = 'here.invalid';
const PLACE_MAX = 200;

/** Where a redirect leads: scheme, host and path, for its query may hold a secret. Undefined where the answer names no place. */
export function redirectOf(answer: Pick<HttpAnswer, 'status' | 'headers'>): string | undefined {
  const isRedirect = answer.status >= 300 && answer.status < 400;
  const location = isRedirect ? headerOf(answer, 'location') : undefined;
  const url = location === undefined ? null : URL.parse(location, `https://${HERE}`);
  if (url === null) return undefined;
  const place = url.host === HERE ? url.pathname : `${url.protocol}//${url.host}${url.pathname}`;
  return place.slice(0, PLACE_MAX);
}

/** What time it was for the service when it answered (its `Date`), in ms since the epoch; null where it did not say. */
export function answeredAtMs(answer: Pick<HttpAnswer, 'headers'>): number | null {
  const date = headerOf(answer, 'date') ?? '';
  // Only the forms of an HTTP date: Date.parse alone takes "1.5" for one, in the machine's time zone.
  const atMs = /^[A-Za-z]{3,9}, .{10,40} GMT$/.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(atMs) ? null : atMs;
}

/** An answer that says to have waited somewhere for longer than this was true then. */
const WAITED_MAX_S = 60;

/** True for an answer that a cache has kept, and for one that says something else there. */
export function hasWaited(answer: Pick<HttpAnswer, 'headers'>): boolean {
  const age = headerOf(answer, 'age')?.trim() ?? '0';
  return !/^\d+$/.test(age) || Number(age) > WAITED_MAX_S;
}
