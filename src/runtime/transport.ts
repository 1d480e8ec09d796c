/** The port to a service: a function from a request to an answer. undici, the embedded sandbox and the fault wrappers implement it. */

export interface HttpRequest {
  readonly method: string;
  /** An absolute, checked URL without userinfo and fragment. */
  readonly url: string;
  /** Header names as they are sent, each once. */
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
  /** Only the status matters: `body` is empty, and errors in the body are ignored. */
  readonly ignoresBody?: boolean | undefined;
  /** With `ignoresBody`: about how many bytes of the body's start to return all the same. Default 0. */
  readonly keptBytes?: number | undefined;
  /** Called when a part of the body has arrived. The body is not kept then and may never end. Without a network the body arrives whole. */
  readonly onArrival?: (() => void) | undefined;
  /** Called at the moment of writing. If it returns false, nothing is sent. */
  readonly mayLeave?: (() => boolean) | undefined;
}

/** Sends a request. @throws NotAnswered if no whole answer came; throws nothing else on purpose */
export type Transport = (request: HttpRequest, options: TransportOptions) => Promise<HttpAnswer>;

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

/** No whole answer came. `sent` is false only if certainly nothing was sent: the name, the connection or the handshake failed. */
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

/** The first value of a header, its name in any case; undefined if it is absent. */
export function headerOf(answer: Pick<HttpAnswer, 'headers'>, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return answer.headers.find(([key]) => key.toLowerCase() === wanted)?.[1];
}

const HERE = 'here.invalid';
const PLACE_MAX = 200;

/** The target of a redirect: scheme, host and path, because the query may hold a secret. Undefined without a target. */
export function redirectOf(answer: Pick<HttpAnswer, 'status' | 'headers'>): string | undefined {
  const isRedirect = answer.status >= 300 && answer.status < 400;
  const location = isRedirect ? headerOf(answer, 'location') : undefined;
  const url = location === undefined ? null : URL.parse(location, `https://${HERE}`);
  if (url === null) return undefined;
  const place = url.host === HERE ? url.pathname : `${url.protocol}//${url.host}${url.pathname}`;
  return place.slice(0, PLACE_MAX);
}

/** The service's time when it answered (its `Date`), in ms since the epoch; null if the header is missing or invalid. */
export function answeredAtMs(answer: Pick<HttpAnswer, 'headers'>): number | null {
  const date = headerOf(answer, 'date') ?? '';
  // Checks the form first: Date.parse alone takes "1.5" for a date, in the machine's time zone.
  const atMs = /^[A-Za-z]{3,9}, .{10,40} GMT$/.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(atMs) ? null : atMs;
}

/** An answer with a larger `Age` is too old to say the time. */
const WAITED_MAX_S = 60;

/** True if a cache has kept the answer too long, or `Age` is no number. */
export function hasWaited(answer: Pick<HttpAnswer, 'headers'>): boolean {
  const age = headerOf(answer, 'age')?.trim() ?? '0';
  return !/^\d+$/.test(age) || Number(age) > WAITED_MAX_S;
}
