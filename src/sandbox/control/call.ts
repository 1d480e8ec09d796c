/** One request of the control api on its way to what carries it out. */
import type { Detail } from '../../contract/errors.js';
import { detailsOf, object, withoutNulls, type Shape } from '../../contract/shape.js';
import type { World } from '../engine/world.js';
import type { HttpRefusal } from '../message.js';
import { readOptionalObject } from '../http/body.js';

export interface ControlCall {
  readonly world: World;
  readonly body: Uint8Array;
  /** Sandbox time in ms, to which everything was brought already. */
  readonly nowMs: number;
  /** What stands for `{id}` in the path, as sent. */
  readonly id: string;
  /** The query, as sent. */
  readonly query: string;
}

/** The JSON of a success, or why there is none; nothing is written before the last reason to refuse is checked. */
export type ControlHandler = (call: ControlCall) => string | HttpRefusal;

/** The body of a call that takes none. */
export const nothing = object({});

/** The body as its shape describes it (no body counts as `{}`), or every offending field. */
export function readBody<T>({ body }: ControlCall, shape: Shape<T>): { readonly value: T } | HttpRefusal {
  const read = readOptionalObject(body);
  if ('refusal' in read) return read;
  const details = detailsOf(shape, read.fields);
  return details.length === 0 ? { value: withoutNulls(read.fields) as T } : invalid(details);
}

/** `field_required` where any is missing, else `field_invalid`. */
export function invalid(details: readonly Detail[]): HttpRefusal {
  const isMissing = details.some(({ code }) => code === 'required');
  return { refusal: isMissing ? 'field_required' : 'field_invalid', details };
}
