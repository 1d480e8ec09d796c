/** Reads answers: a status and bytes become one kind of attempt. Tolerant of what it does not know, strict about what is needed. Pure. */
import { isObject } from '../contract/shape.js';
import type { Endpoint } from '../contract/endpoints.js';
import { ERRORS, readEnvelope, type ErrorCode } from '../contract/errors.js';
import { type Asked, differenceOf, type OperationFacts, readOperation } from '../contract/operation-facts.js';
import { headerOf, type HttpAnswer } from '../runtime/transport.js';
import type { Attempt } from '../contract/attempt.js';

/** What a success must hold; null accepts any 2xx as it is (a request that is no row of the table). */
export type Expected = Pick<Endpoint, 'result' | 'list' | 'retry' | 'errors'> | null;

const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 409]);

/**
 * The kind of attempt that ended in this answer. The bytes stay untouched in it.
 * @param nowMs wall-clock time, for a `Retry-After` that is a date
 * @param asked what was asked for: an operation in the answer is held against it, and is no answer where it is another one
 */
export function readAnswer(
  answer: HttpAnswer,
  expected: Expected,
  nowMs: number,
  asked: Asked | null = null,
): Attempt {
  const { status } = answer;
  const common = { answer, retryAfterMs: readRetryAfter(headerOf(answer, 'retry-after'), nowMs) };
  if (status >= 200 && status < 300) return readSuccess(common, expected, asked);
  const body = parse(answer.body);
  const error = readEnvelope(body);
  const refused = { ...common, error };
  if (status >= 300 && status < 400) return { kind: 'broken', ...refused };
  if (status === 429 || (status === 503 && error !== null)) return { kind: 'unavailable', ...refused };
  if (status >= 500 && status < 600) return { kind: 'server_error', ...refused };
  if (status >= 600) return { kind: 'unreadable', why: `${status} is not an HTTP status`, ...common };
  const isRefused =
    expected?.retry === 'keyed'
      ? refusesCreate(status, error, expected)
      : isRefusal(status, error, body, answer.body);
  return { kind: isRefused ? 'refused' : 'broken', ...refused };
}

/**
 * A create is settled only by what the contract lists for it, with the status that the code has: whatever else stands in between may
 * answer after the service has carried it out. A 401 is believed from a gateway too.
 */
function refusesCreate(
  status: number,
  error: ReturnType<typeof readEnvelope>,
  { errors }: Pick<Endpoint, 'errors'>,
): boolean {
  if (status === 401) return true;
  if (error === null) return false;
  if (status === 403) return error.code === 'scope_missing';
  const listed: readonly string[] = errors;
  return listed.includes(error.code) && ERRORS[error.code as ErrorCode].status === status;
}

/**
 * All bodies are JSON (section 1): a 4xx with anything else in it, such as a gateway's page, says nothing about an operation.
 * A 401 is believed from a gateway too; a 403 only as `scope_missing`.
 */
function isRefusal(
  status: number,
  error: ReturnType<typeof readEnvelope>,
  body: unknown,
  bytes: Uint8Array,
): boolean {
  if (status === 401) return true;
  if (status === 403) return error?.code === 'scope_missing';
  return REFUSALS.has(status) && (bytes.length === 0 || body !== undefined);
}

function readSuccess(
  common: { answer: HttpAnswer; retryAfterMs: number | null },
  expected: Expected,
  asked: Asked | null,
): Attempt {
  const unreadable = (why: string): Attempt => ({ kind: 'unreadable', why, ...common });
  const body = expected === null ? undefined : parse(common.answer.body);
  const success = (operation: OperationFacts | null): Attempt => ({
    kind: 'success',
    operation,
    value: body,
    ...common,
  });
  if (expected === null) return success(null);
  if (common.answer.body.length === 0) return unreadable('the answer is empty');
  if (body === undefined) return unreadable('the answer is not JSON');
  if (expected.list !== null) {
    return listMember(body, expected.list) === null ? unreadable('the answer has no list') : success(null);
  }
  if (expected.result === 'operation') {
    const operation = readOperation(body);
    if (operation === null) return unreadable('the answer has no operation');
    const why = asked === null ? null : differenceOf(asked, operation);
    return why === null ? success(operation) : { kind: 'mismatched', operation, why, ...common };
  }
  if (!isObject(body)) return unreadable('the answer is not a JSON object');
  if (expected.result === 'webhook_endpoint' && !isText(body['secret'])) {
    return unreadable('the answer has no secret');
  }
  return success(null);
}

/** The list of a list response: by its known name, else the only array in the object, else the body itself; null where there is none. */
export function listMember(body: unknown, name: string): readonly unknown[] | null {
  if (Array.isArray(body)) return body as readonly unknown[];
  if (!isObject(body)) return null;
  const named = Object.hasOwn(body, name) ? body[name] : undefined;
  if (Array.isArray(named)) return named as readonly unknown[];
  const [only, ...others] = Object.values(body).filter((value): value is unknown[] => Array.isArray(value));
  return only !== undefined && others.length === 0 ? only : null;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** The JSON value of UTF-8 bytes, undefined where they are none. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(UTF_8.decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/**
 * The wait that `Retry-After` asks for (seconds or an HTTP date), in milliseconds and never negative; null where it is absent or says
 * nothing that can be understood.
 * @param nowMs wall-clock time in milliseconds
 */
function readRetryAfter(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000;
  // Only the forms of an HTTP date: Date.parse alone takes "-5" and "1.5" for dates, in the machine's time zone.
  if (!/^[A-Za-z]{3,9}, .{10,40} GMT$/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
