/** Identifiers as people write them, `V-12.345.678`, `0412-1234567`, `0102 - BANCO`, by what the catalog declares: split where that leaves no doubt. Pure. */
import type { Capabilities } from './catalog.js';
import { allowsValue, locateMethod } from './create.js';
import { type Direction, partyOf } from './operation.js';
import { isObject } from './shape.js';

export interface MeantIdentifier {
  readonly field: string;
  /** What stands there; empty for nothing. */
  readonly text: string;
  readonly value: string;
}

/** The fields of the counterparty that mean another value than what stands there. @param textAt what stands in a field; empty for nothing */
export function identifiersMeant(
  catalog: Capabilities,
  direction: Direction,
  textAt: (field: string) => string,
): MeantIdentifier[] {
  const [country = '', currency = '', method = ''] = ['country', 'currency', 'method'].map(textAt);
  const found = locateMethod(catalog, { country, currency, method, direction });
  const fields = 'refusal' in found ? [] : found.entry.fields;
  const party = partyOf(direction);
  return fields.flatMap(({ name, enum: choices = [] }) => {
    const field = `${party}.${name}`;
    const text = textAt(field);
    if (text === '' || allowsValue(fields, name, text)) return [];
    const plain = text.normalize('NFKC').replace(/[\s.()\p{Pd}]/gu, '');
    const code = name === 'bank_code' ? (BEFORE_NAME.exec(text.trim())?.slice(1) ?? []) : [];
    const values = [plain, ...code, ...choices.filter((one) => isAlike(one, plain))];
    const value = values.find((one) => allowsValue(fields, name, one));
    if (value !== undefined) return [{ field, text, value }];
    const typeName = name.replace(/[^.]+$/, 'type');
    const [, letters = '', number = ''] = /^(\p{L}+)(.*)$/u.exec(plain) ?? [];
    const types = fields.find((one) => one.name === typeName)?.enum ?? [];
    const type = types.find((one) => isAlike(one, letters));
    if (type === undefined || !allowsValue(fields, name, number)) return [];
    const said = textAt(`${party}.${typeName}`);
    if (said !== '') return isAlike(said, type) ? [{ field, text, value: number }] : [];
    return [
      { field: `${party}.${typeName}`, text: said, value: type },
      { field, text, value: number },
    ];
  });
}

/** A code of digits, or one that a dash keeps apart from the name of what it is a code of. */
const BEFORE_NAME = /^([A-Z0-9]+)(?:(?<=[0-9])[\s\p{Pd}:|/.]+|\s+[\p{Pd}:|]\s+)[^0-9]+$/u;

function isAlike(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The text at a path of a body; empty for none. */
export function textIn(body: unknown, path: string): string {
  const inner = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);
  const value = path.split('.').reduce(inner, body);
  return typeof value === 'string' ? value : '';
}
