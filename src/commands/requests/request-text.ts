/** An open request as JSON: in a list without what is personal, alone with its body byte for byte. Pure. */
import { isUtf8 } from 'node:buffer';
import { memberAt } from '../../contract/json-bytes.js';
import { isRepeatable, type OpenRequest } from '../../journal/request.js';
import { isoSeconds } from '../../runtime/clock.js';

/** What tells a person which payment it is, and nothing about whose it is. */
const SHOWN = ['method', 'amount', 'currency', 'reference'] as const;

/** One element of the list. Values of the body keep their own bytes. */
export function requestLine(request: OpenRequest, nowMs: number): string {
  const facts = isJson(request.body) ? SHOWN.map((name) => `"${name}":${valueOf(request.body, name)}`) : [];
  return withMembers(summaryOf(request, nowMs), facts);
}

/** The request alone; a body that is no JSON in base64. */
export function requestAlone(request: OpenRequest, nowMs: number): Uint8Array {
  const { body } = request;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const member = isJson(body)
    ? `"body":${bytes.toString('utf8').trim()}`
    : `"body_base64":"${bytes.toString('base64')}"`;
  return Buffer.from(withMembers(summaryOf(request, nowMs), [member]));
}

function summaryOf(request: OpenRequest, nowMs: number): object {
  return {
    idempotency_key: request.idempotencyKey,
    endpoint: request.endpoint,
    environment: request.environment,
    address: request.address,
    api_key: request.keyMask,
    created_at: isoSeconds(request.firstLeftMs),
    repeatable: isRepeatable(nowMs - request.firstLeftMs),
  };
}

function withMembers(object: object, members: readonly string[]): string {
  return `${[JSON.stringify(object).slice(0, -1), ...members].join(',')}}`;
}

function valueOf(body: Uint8Array, name: string): string {
  const range = memberAt(body, name);
  return range === null ? 'null' : Buffer.from(body.subarray(range.start, range.end)).toString('utf8');
}

function isJson(body: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
    return isUtf8(body);
  } catch {
    return false;
  }
}
