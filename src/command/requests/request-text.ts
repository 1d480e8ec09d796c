/** An open request as JSON: in a list without what is personal, alone with its body byte for byte. Pure. */
import { isUtf8 } from 'node:buffer';
import { memberAt } from '../../contract/json-bytes.js';
import { isRepeatable, type Intent } from '../../journal/intent.js';
import { isoSeconds } from '../../runtime/clock.js';

/** What tells a person which payment it is, and nothing about whose it is. */
const SHOWN = ['method', 'amount', 'currency', 'reference'] as const;

/** One element of the list. Values of the body keep their own bytes. */
export function requestLine(intent: Intent, nowMs: number): string {
  const facts = isJson(intent.body) ? SHOWN.map((name) => `"${name}":${valueOf(intent.body, name)}`) : [];
  return withMembers(summaryOf(intent, nowMs), facts);
}

/** The request alone; a body that is no JSON in base64. */
export function requestAlone(intent: Intent, nowMs: number): Uint8Array {
  const { body } = intent;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const member = isJson(body)
    ? `"body":${bytes.toString('utf8').trim()}`
    : `"body_base64":"${bytes.toString('base64')}"`;
  return Buffer.from(withMembers(summaryOf(intent, nowMs), [member]));
}

function summaryOf(intent: Intent, nowMs: number): object {
  return {
    idempotency_key: intent.idempotencyKey,
    endpoint: intent.endpoint,
    environment: intent.environment,
    address: intent.address,
    api_key: intent.keyMask,
    created_at: isoSeconds(intent.createdAtMs),
    repeatable: isRepeatable(intent, nowMs),
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
