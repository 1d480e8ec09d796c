/** Reads the query of a request: each parameter that an endpoint knows at most once, others ignored. */
import type { Detail } from '../../contract/errors.js';
import type { HttpRefusal } from '../message.js';

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
  const limit = /^[1-9][0-9]{0,2}$/.test(text) ? Number(text) : 0;
  return limit >= least && limit <= most ? limit : null;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
