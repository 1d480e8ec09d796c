/** Reads the event in an authentic body: what a receiver decides and deduplicates by (section 6). Pure. */
import { jsonIn } from '../contract/json.js';
import { isObject } from '../contract/shape.js';

/** An event as a delivery carries it; types and operations that are not known here pass unchanged. */
export interface DeliveredEvent {
  readonly id: string;
  readonly type: string;
  readonly occurred_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type EventRead =
  | { readonly event: DeliveredEvent }
  /** Why the bytes are no event, in words that follow "the body". */
  | { readonly problem: string };

const BYTE_ORDER_MARK = '\uFEFF';

/** The event in these bytes: UTF-8 without a byte order mark, one JSON object with `id`, `type`, `occurred_at` and `data`. */
export function readEvent(body: Uint8Array): EventRead {
  const text = decode(body);
  if (text === null) return { problem: 'is not valid UTF-8' };
  if (text === '') return { problem: 'is empty' };
  if (text.startsWith(BYTE_ORDER_MARK)) return { problem: 'begins with a byte order mark' };
  const value = jsonIn(text);
  if (value === undefined) return { problem: 'is not JSON' };
  if (!isObject(value)) return { problem: 'is not a JSON object' };
  const { id, type, occurred_at: occurredAt, data } = value;
  if (!isText(id)) return { problem: 'has no "id"' };
  if (!isText(type)) return { problem: 'has no "type"' };
  if (!isText(occurredAt)) return { problem: 'has no "occurred_at"' };
  if (!isObject(data)) return { problem: 'has no "data" object' };
  return { event: { id, type, occurred_at: occurredAt, data } };
}

/** The text of UTF-8 bytes, a byte order mark included; null where they are none. */
function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
