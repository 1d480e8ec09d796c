export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

export interface TransportOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly ignoresBody?: boolean | undefined;
  readonly keptBytes?: number | undefined;
  readonly onArrival?: (() => void) | undefined;
  /** Called right before the request is written. If it returns false, nothing is sent. */
  readonly maySend?: (() => boolean) | undefined;
}

/** @throws NotAnswered if no whole answer came */
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

/** `wasSent` is false only if certainly nothing was sent. */
export class NotAnswered extends Error {
  override readonly name = 'NotAnswered';
  constructor(
    readonly reason: NotAnsweredReason,
    readonly wasSent: boolean,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export function headerOf(answer: Pick<HttpAnswer, 'headers'>, name: string): string | undefined {
  const lowerCaseName = name.toLowerCase();
  return answer.headers.find(([key]) => key.toLowerCase() === lowerCaseName)?.[1];
}

const RELATIVE_HOST = 'here.invalid';
const REDIRECT_TARGET_MAX = 200;

/** The query of the target is left out, because it may hold a secret. */
export function redirectOf(answer: Pick<HttpAnswer, 'status' | 'headers'>): string | undefined {
  const isRedirect = answer.status >= 300 && answer.status < 400;
  const location = isRedirect ? headerOf(answer, 'location') : undefined;
  const url = location === undefined ? null : URL.parse(location, `https://${RELATIVE_HOST}`);
  if (url === null) return undefined;
  const target = url.host === RELATIVE_HOST ? url.pathname : `${url.protocol}//${url.host}${url.pathname}`;
  return target.slice(0, REDIRECT_TARGET_MAX);
}

export function answeredAtMs(answer: Pick<HttpAnswer, 'headers'>): number | null {
  const date = headerOf(answer, 'date') ?? '';
  // `Date.parse` alone takes "1.5" for a date, in the machine's time zone.
  const atMs = /^[A-Za-z]{3,9}, .{10,40} GMT$/.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(atMs) ? null : atMs;
}

const AGE_MAX_S = 60;

export function isTooOld(answer: Pick<HttpAnswer, 'headers'>): boolean {
  const age = headerOf(answer, 'age')?.trim() ?? '0';
  return !/^\d+$/.test(age) || Number(age) > AGE_MAX_S;
}
