/** One authorised request for its endpoint, with body and query read, and the endpoint's result. */
import type { Creator } from '../../contract/operation.js';
import type { PlannedVerdict, Context } from '../machine/operation.js';
import { contextAt, type World } from '../engine/world.js';
import type { RequestNote } from '../log/request-log.js';
import type { HttpRefusal, SandboxRequest } from '../message.js';
import type { StoredCompany } from '../store/companies.js';
import { isUtf8 } from 'node:buffer';
import { canonicalOf } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import type { Detail } from '../../contract/errors.js';

export interface EndpointCall {
  readonly world: World;
  readonly request: SandboxRequest;
  /** What the log is to know of it. */
  readonly note: RequestNote;
  readonly company: StoredCompany;
  /** Whose key it is: that of the company, or of an operator who works for it. */
  readonly createdBy: Creator;
  /** Sandbox time in ms, to which everything was brought already. */
  readonly nowMs: number;
  /** What stands for `{id}` in the path, as sent. */
  readonly id: string;
  /** The query, as sent. */
  readonly query: string;
  /** Spends the armed `outcome` fault, where there is one for this endpoint. */
  readonly takeVerdict: () => PlannedVerdict | null;
}

/** The JSON of a success, or why there is none. Nothing is written before the last reason to refuse is checked. */
export type EndpointHandler = (call: EndpointCall) => string | HttpRefusal;

/** What the machine may know during a call. */
export function contextOf({ world, company, nowMs, takeVerdict }: EndpointCall): Context {
  return contextAt(world, company.environment, nowMs, takeVerdict);
}

/** Beyond it a body is refused with 413; an adapter need not read further than one byte more. */
export const BODY_MAX_BYTES = 1024 * 1024;

export interface JsonBody {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Equal for equal JSON values. */
  readonly canonical: string;
}

function unreadable(why: string): HttpRefusal {
  return { refusal: 'body_invalid', why };
}

/** The JSON object that the bytes hold, or `body_invalid`. */
export function readObject(bytes: Uint8Array): JsonBody | HttpRefusal {
  if (bytes.length > BODY_MAX_BYTES) return { ...unreadable('The body is larger than 1 MiB.'), status: 413 };
  if (bytes.length === 0) return unreadable('There is no body. Send one JSON object.');
  if (!isUtf8(bytes)) return unreadable('The body is not UTF-8.');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    const canonical = canonicalOf(text);
    if (canonical === null)
      return unreadable('A name appears twice in one object of the body, or the body is nested too deep.');
    return isObject(value)
      ? { fields: value, canonical }
      : unreadable('The body is JSON, but not an object.');
  } catch (error) {
    return unreadable(`The body is not JSON: ${(error as Error).message}.`);
  }
}

/** As `readObject`, but nothing and `null` count as `{}`. */
export function readOptionalObject(bytes: Uint8Array): JsonBody | HttpRefusal {
  const isBlank = bytes.length <= 16 && ['', 'null'].includes(Buffer.from(bytes).toString('latin1').trim());
  return isBlank ? { fields: {}, canonical: '{}' } : readObject(bytes);
}

export type QueryValues<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/**
 * The values of the parameters with these names; `field_invalid` where one is repeated, in array syntax or not decodable.
 * @param text what follows the question mark, as sent
 */
export function readQuery<Name extends string>(
  text: string,
  names: readonly Name[],
): QueryValues<Name> | HttpRefusal {
  const values: Partial<Record<Name, string>> = {};
  const invalid = new Set<Name>();
  for (const part of text === '' ? [] : text.split('&')) {
    const equals = part.indexOf('=');
    const written = decode(equals === -1 ? part : part.slice(0, equals)) ?? '';
    const name = names.find((known) => written === known || written.startsWith(`${known}[`));
    if (name === undefined) continue;
    const value = decode(equals === -1 ? '' : part.slice(equals + 1));
    if (value === null || written !== name || values[name] !== undefined) invalid.add(name);
    else values[name] = value;
  }
  if (invalid.size === 0) return values;
  return {
    refusal: 'field_invalid',
    details: [...invalid].map((field): Detail => ({ field, code: 'invalid' })),
  };
}

/** How many elements a page is asked to have, both bounds included; null for anything else. @param usual without the parameter */
export function readLimit(
  text: string | undefined,
  usual: number,
  least: number,
  most: number,
): number | null {
  if (text === undefined) return usual;
  const limit = /^[1-9][0-9]*$/.test(text) ? Number(text) : 0;
  return limit >= least && limit <= most ? limit : null;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
