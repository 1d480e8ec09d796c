/** Builds answers: JSON bodies, and the one envelope of every error (section 7). */
import type { Rejection } from '../../contract/check.js';
import { ERRORS, type ErrorCode } from '../../contract/errors.js';
import { httpDate } from '../../runtime/clock.js';
import type { SandboxAnswer } from '../message.js';

/** What the sandbox answers beyond the codes of the contract. */
const OWN_ERRORS = {
  foreign_origin: { status: 403, meaning: 'a page of another site may not control the sandbox' },
  internal: { status: 500, meaning: 'the service failed' },
} as const;

/** A refusal whose status is not the one of its code (a body too large is `body_invalid` with 413), or that carries headers. */
export interface HttpRefusal extends Omit<Rejection, 'refusal'> {
  readonly refusal: ErrorCode | keyof typeof OWN_ERRORS;
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
export function refusalAnswer({ refusal, details, status, headers }: HttpRefusal): SandboxAnswer {
  const answer = jsonAnswer(status ?? ALL_ERRORS[refusal].status, envelope(refusal, details));
  return headers === undefined ? answer : { ...answer, headers: { ...JSON_HEADERS, ...headers } };
}

/** The answer with that moment, in sandbox milliseconds, as its `Date`. */
export function datedAnswer(answer: SandboxAnswer, nowMs: number): SandboxAnswer {
  return { ...answer, headers: { ...answer.headers, Date: httpDate(nowMs) } };
}

function envelope(code: HttpRefusal['refusal'], details: Rejection['details']): string {
  const { meaning } = ALL_ERRORS[code];
  const message = meaning.charAt(0).toUpperCase() + meaning.slice(1) + '.';
  return JSON.stringify({ error: { code, message, ...(details === undefined ? {} : { details }) } });
}
