import type { Creator } from '../../contract/operation.js';
import type { PlannedVerdict, Context } from '../machine/operation.js';
import { contextAt, type World } from '../engine/world.js';
import type { RequestNote } from '../log/request-log.js';
import type { HttpRefusal, SandboxRequest } from '../message.js';
import type { StoredCompany } from '../store/companies.js';
import { isUtf8 } from 'node:buffer';
import { canonicalJson } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import type { Detail } from '../../contract/errors.js';

export interface EndpointCall {
  readonly world: World;
  readonly request: SandboxRequest;
  readonly note: RequestNote;
  readonly company: StoredCompany;
  readonly createdBy: Creator;
  readonly nowMs: number;
  readonly id: string;
  readonly query: string;
  readonly takeVerdict: () => PlannedVerdict | null;
}

export type EndpointHandler = (call: EndpointCall) => string | HttpRefusal;

export const contextOf = ({ world, company, nowMs, takeVerdict }: EndpointCall): Context =>
  contextAt(world, company.environment, nowMs, takeVerdict);

export const BODY_MAX_BYTES = 1024 * 1024;

export interface JsonBody {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly canonical: string;
}

const bodyRefusal = (why: string): HttpRefusal => ({ refusal: 'body_invalid', why });

export function readObject(bytes: Uint8Array): JsonBody | HttpRefusal {
  if (bytes.length > BODY_MAX_BYTES) return { ...bodyRefusal('The body is larger than 1 MiB.'), status: 413 };
  if (bytes.length === 0) return bodyRefusal('There is no body. Send one JSON object.');
  if (!isUtf8(bytes)) return bodyRefusal('The body is not UTF-8.');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    const canonical = canonicalJson(text);
    if (canonical === null)
      return bodyRefusal('A name appears twice in one object of the body, or the body is nested too deep.');
    return isObject(value)
      ? { fields: value, canonical }
      : bodyRefusal('The body is JSON, but not an object.');
  } catch (error) {
    return bodyRefusal(`The body is not JSON: ${(error as Error).message}.`);
  }
}

export function readOptionalObject(bytes: Uint8Array): JsonBody | HttpRefusal {
  const isBlank = bytes.length <= 16 && ['', 'null'].includes(Buffer.from(bytes).toString('latin1').trim());
  return isBlank ? { fields: {}, canonical: '{}' } : readObject(bytes);
}

export type QueryValues<Name extends string> = Readonly<Partial<Record<Name, string>>>;

export function readQuery<Name extends string>(
  text: string,
  names: readonly Name[],
): QueryValues<Name> | HttpRefusal {
  const values: Partial<Record<Name, string>> = {};
  const invalidNames = new Set<Name>();
  for (const part of text === '' ? [] : text.split('&')) {
    const equals = part.indexOf('=');
    const decodedName = decode(equals === -1 ? part : part.slice(0, equals)) ?? '';
    const name = names.find((one) => decodedName === one || decodedName.startsWith(`${one}[`));
    if (name === undefined) continue;
    const value = decode(equals === -1 ? '' : part.slice(equals + 1));
    if (value === null || decodedName !== name || values[name] !== undefined) invalidNames.add(name);
    else values[name] = value;
  }
  if (invalidNames.size === 0) return values;
  const details = [...invalidNames].map((field): Detail => ({ field, code: 'invalid' }));
  return { refusal: 'field_invalid', details };
}

export function fieldsRefusal(details: readonly Detail[], why?: string): HttpRefusal {
  const isMissing = details.some(({ code }) => code === 'required');
  const refusal = { refusal: isMissing ? 'field_required' : 'field_invalid', details } as const;
  return why === undefined ? refusal : { ...refusal, why };
}

export function invalidDetails(invalidByName: Readonly<Record<string, boolean>>): Detail[] {
  const names = Object.keys(invalidByName).filter((field) => invalidByName[field]);
  return names.map((field) => ({ field, code: 'invalid' }));
}

export function readLimit(text: string | undefined, usual: number, min: number, max: number): number | null {
  if (text === undefined) return usual;
  const limit = /^[1-9][0-9]*$/.test(text) ? Number(text) : 0;
  return limit >= min && limit <= max ? limit : null;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
