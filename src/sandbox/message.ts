/** Requests and answers of the sandbox's handler, as bytes and text without a framework, and the envelope of every error (section 7). */
import type { Rejection } from '../contract/create.js';
import { type ErrorCode, ERRORS } from '../contract/errors.js';
import { httpDate } from '../runtime/clock.js';

export interface SandboxRequest {
  readonly method: string;
  /** The request target as sent: path and query, not decoded. */
  readonly target: string;
  /** Name and value pairs as received: duplicates are kept, names in any case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** What an adapter does to an exchange whose request met an armed fault. */
export type Interference =
  /** The connection is cut; the request was not carried out (`drop-before`) or was (`drop-after`). */
  | { readonly kind: 'drop-before' }
  | { readonly kind: 'drop-after' }
  /** It is cut in the middle of the answer's body (`truncated`), or there is no answer until the client leaves (`silent`). */
  | { readonly kind: 'truncated' }
  | { readonly kind: 'silent' }
  /** The answer is held back that long. */
  | { readonly kind: 'delay'; readonly delayMs: number };

export interface SandboxAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly interference: Interference | null;
  /** The ids of the deliveries that are attempted before it leaves. */
  readonly deliveredFirst?: readonly string[];
}

/** The whole service as a function. Synchronous: an answer returned is an answer whose effects are in the store. */
export type Handler = (request: SandboxRequest) => SandboxAnswer;

/** What the sandbox answers beyond the codes of the contract. */
const OWN_ERRORS = {
  invalid_state: { status: 409, meaning: 'the operation is not waiting for that' },
  foreign_origin: { status: 403, meaning: 'a page of another site cannot use the sandbox' },
  internal: { status: 500, meaning: 'the service failed' },
} as const;

/** A refusal whose status is not the one of its code (a body too large is `body_invalid` with 413), or that carries headers. */
export interface HttpRefusal extends Omit<Rejection, 'refusal'> {
  readonly refusal: ErrorCode | keyof typeof OWN_ERRORS;
  /** The rule in a sentence, for the log: what the contract's code does not say. */
  readonly why?: string;
  /** What the envelope says instead of the meaning of the code, outside the contract. */
  readonly message?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const ALL_ERRORS = { ...ERRORS, ...OWN_ERRORS };

const JSON_HEADERS: Readonly<Record<string, string>> = { 'Content-Type': 'application/json' };

/** An answer with that JSON text as its body. */
export function jsonAnswer(status: number, json: string): SandboxAnswer {
  return { status, headers: JSON_HEADERS, body: Buffer.from(json), interference: null };
}

/** The envelope; `details` only where the refusal has them. */
export function refusalAnswer({ refusal, details, status, headers, message }: HttpRefusal): SandboxAnswer {
  const error = { code: refusal, message: message ?? refusalMeaning(refusal), ...(details && { details }) };
  const answer = jsonAnswer(status ?? ALL_ERRORS[refusal].status, JSON.stringify({ error }));
  return headers === undefined ? answer : { ...answer, headers: { ...JSON_HEADERS, ...headers } };
}

/** The same, whose message is the rule in a sentence where there is one. */
export function explainedAnswer(refusal: HttpRefusal): SandboxAnswer {
  const message = refusal.message ?? refusal.why;
  return refusalAnswer(message === undefined ? refusal : { ...refusal, message });
}

/** The answer with that moment, in sandbox milliseconds, as its `Date`. */
export function datedAnswer(answer: SandboxAnswer, nowMs: number): SandboxAnswer {
  return { ...answer, headers: { ...answer.headers, Date: httpDate(nowMs) } };
}

/** What the code says, as a sentence. */
function refusalMeaning(code: HttpRefusal['refusal']): string {
  const { meaning } = ALL_ERRORS[code];
  return meaning.charAt(0).toUpperCase() + meaning.slice(1) + '.';
}

/** The meaning of the code, and what is wrong with each field, where the place that refused said no more. */
export function reasonOf({ refusal, details = [] }: Pick<HttpRefusal, 'refusal' | 'details'>): string {
  const fields = details.map(({ field, code }) => `${field} is ${WORDS[code]}`);
  return fields.length === 0
    ? refusalMeaning(refusal)
    : `${refusalMeaning(refusal).slice(0, -1)}: ${fields.join(', ')}.`;
}

const WORDS = { required: 'missing', invalid: 'not valid', unknown: 'not a known field here' } as const;
