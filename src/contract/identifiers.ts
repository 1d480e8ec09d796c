/** Rewrites identifiers as people type them (`V-12.345.678`, `0412-1234567`, `0102 - BANCO`) into the catalog's form. */
import type { Capabilities } from './catalog.js';
import { allowsValue, locateMethod } from './create.js';
import { type Direction, partyOf } from './operation.js';

export function correctIdentifiers(
  catalog: Capabilities,
  direction: Direction,
  textAt: (field: string) => string,
): Readonly<Record<'field' | 'text' | 'value', string>>[] {
  const [country = '', currency = '', method = ''] = ['country', 'currency', 'method'].map(textAt);
  const locatedMethod = locateMethod(catalog, { country, currency, method, direction });
  const fields = 'refusal' in locatedMethod ? [] : locatedMethod.entry.fields;
  const party = partyOf(direction);
  return fields.flatMap(({ name, enum: choices = [] }) => {
    const field = `${party}.${name}`;
    const text = textAt(field);
    if (text === '' || allowsValue(fields, name, text)) return [];
    const plainText = text.normalize('NFKC').replace(/[\s.()\p{Pd}]/gu, '');
    const codes = name === 'bank_code' ? (CODE_BEFORE_NAME.exec(text.trim())?.slice(1) ?? []) : [];
    const values = [plainText, ...codes, ...choices.filter((one) => isSameInAnyCase(one, plainText))];
    const value = values.find((one) => allowsValue(fields, name, one));
    if (value !== undefined) return [{ field, text, value }];
    const typeName = name.replace(/[^.]+$/, 'type');
    const [, letters = '', number = ''] = /^(\p{L}+)(.*)$/u.exec(plainText) ?? [];
    const types = fields.find((one) => one.name === typeName)?.enum ?? [];
    const type = types.find((one) => isSameInAnyCase(one, letters));
    if (type === undefined || !allowsValue(fields, name, number)) return [];
    const typedType = textAt(`${party}.${typeName}`);
    if (typedType !== '') return isSameInAnyCase(typedType, type) ? [{ field, text, value: number }] : [];
    const typeCorrection = { field: `${party}.${typeName}`, text: typedType, value: type };
    return [typeCorrection, { field, text, value: number }];
  });
}

const CODE_BEFORE_NAME = /^([A-Z0-9]+)(?:(?<=[0-9])[\s\p{Pd}:|/.]+|\s+[\p{Pd}:|]\s+)[^0-9]+$/u;

function isSameInAnyCase(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
