/** Builds answers: JSON bodies, and the one envelope of every error (section 7). */
import { ERRORS, type ErrorCode } from '../../contract/errors.js';
import type { Refusal } from '../machine/types.js';
import type { SandboxAnswer } from '../message.js';

/** A refusal whose status is not the one of its code (a body too large is `body_invalid` with 413), or that carries headers. */
export interface HttpRefusal extends Refusal {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const JSON_HEADERS: Readonly<Record<string, string>> = { 'Content-Type': 'application/json' };

/** An answer with that JSON text as its body. */
export function jsonAnswer(status: number, json: string): SandboxAnswer {
  return { status, headers: JSON_HEADERS, body: Buffer.from(json), interference: null };
}

/** The envelope; `details` only where the refusal has them. */
export function refusalAnswer({ refusal, details, status, headers }: HttpRefusal): SandboxAnswer {
  const answer = jsonAnswer(status ?? ERRORS[refusal].status, envelope(refusal, details));
  return headers === undefined ? answer : { ...answer, headers: { ...JSON_HEADERS, ...headers } };
}

function envelope(code: ErrorCode, details: Refusal['details']): string {
  const { meaning } = ERRORS[code];
  const message = meaning.charAt(0).toUpperCase() + meaning.slice(1) + '.';
  return JSON.stringify({ error: { code, message, ...(details === undefined ? {} : { details }) } });
}
