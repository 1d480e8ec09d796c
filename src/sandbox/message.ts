/** Requests and answers of the sandbox's handler, and the error envelope (contract section 7). */
import type { Rejection } from '../contract/create.js';
import { type ErrorCode, ERRORS } from '../contract/errors.js';
import { httpDate } from '../runtime/clock.js';

export interface SandboxRequest {
  readonly method: string;
  /** The path and the query as sent, not decoded. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

export const controlRequest = (method: string, path: string, body: Uint8Array): SandboxRequest => ({
  ...{ method, target: `/_control/${path}`, headers: [['host', 'localhost']], body },
});

export type Interference =
  | { readonly kind: 'drop-before' | 'drop-after' | 'truncated' | 'silent' }
  | { readonly kind: 'delay'; readonly delayMs: number };

export interface SandboxAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly interference: Interference | null;
  /** Deliveries that are sent before this answer. */
  readonly deliveryIds?: readonly string[];
}

export type Handler = (request: SandboxRequest) => SandboxAnswer;

const OWN_ERRORS = {
  invalid_state: { status: 409, meaning: 'the operation is not waiting for that' },
  foreign_origin: { status: 403, meaning: 'a page of another site cannot use the sandbox' },
  internal: { status: 500, meaning: 'the service failed' },
} as const;

export interface HttpRefusal extends Omit<Rejection, 'refusal'> {
  readonly refusal: ErrorCode | keyof typeof OWN_ERRORS;
  readonly why?: string;
  readonly message?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const ALL_ERRORS = { ...ERRORS, ...OWN_ERRORS };

const JSON_HEADERS: Readonly<Record<string, string>> = { 'Content-Type': 'application/json' };

export function jsonAnswer(status: number, json: string): SandboxAnswer {
  return { status, headers: JSON_HEADERS, body: Buffer.from(json), interference: null };
}

export function refusalAnswer({ refusal, details, status, headers, message }: HttpRefusal): SandboxAnswer {
  const error = { code: refusal, message: message ?? refusalMeaning(refusal), ...(details && { details }) };
  const answer = jsonAnswer(status ?? ALL_ERRORS[refusal].status, JSON.stringify({ error }));
  return headers === undefined ? answer : { ...answer, headers: { ...JSON_HEADERS, ...headers } };
}

export function answerWithReason(refusal: HttpRefusal): SandboxAnswer {
  const message = refusal.message ?? refusal.why;
  return refusalAnswer(message === undefined ? refusal : { ...refusal, message });
}

export function datedAnswer(answer: SandboxAnswer, nowMs: number): SandboxAnswer {
  return { ...answer, headers: { ...answer.headers, Date: httpDate(nowMs) } };
}

export const unavailableAnswer = (nowMs: number): SandboxAnswer =>
  datedAnswer(refusalAnswer({ refusal: 'temporarily_unavailable' }), nowMs);

function refusalMeaning(code: HttpRefusal['refusal']): string {
  const { meaning } = ALL_ERRORS[code];
  return meaning.charAt(0).toUpperCase() + meaning.slice(1) + '.';
}

export function reasonOf({ refusal, details = [] }: Pick<HttpRefusal, 'refusal' | 'details'>): string {
  const problems = details.map(({ field, code }) => `${field} is ${MEANINGS[code]}`);
  return problems.length === 0
    ? refusalMeaning(refusal)
    : `${refusalMeaning(refusal).slice(0, -1)}: ${problems.join(', ')}.`;
}

const MEANINGS = { required: 'missing', invalid: 'not valid', unknown: 'not a known field here' } as const;
