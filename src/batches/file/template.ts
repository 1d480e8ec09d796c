import {
  type Capabilities,
  type FieldDescriptor,
  matchesCode,
  type MethodEntry,
} from '../../contract/catalog.js';
import { matchingMethods, amountExample } from '../../contract/create-details.js';
import { disarm } from '../../contract/on-screen.js';
import { type Direction, partyOf } from '../../contract/operation.js';

export function templateOf(
  direction: Direction,
  catalog: Capabilities,
  wish: Readonly<Record<'country' | 'currency' | 'method', string | undefined>>,
  bankOf: (country: string, method: string) => string | null,
): string | null {
  const match = matchingMethods(catalog, direction, {}).find(
    ({ entry }) =>
      entry.code !== 'debit_otp' &&
      entry.availability !== 'disabled' &&
      matchesCode(wish.country, entry.country) &&
      matchesCode(wish.currency, entry.currency) &&
      matchesCode(wish.method, entry.code),
  );
  if (match === undefined) return null;
  const { entry, decimals } = match;
  const cells: readonly (readonly [column: string, value: string])[] = [
    ['reference', 'example-0001'],
    ['amount', amountExample(entry, decimals)],
    ['country', entry.country],
    ['currency', entry.currency],
    ['method', entry.code],
    ...(direction === 'payout' ? [['purpose', 'payroll'] as const] : []),
    ...entry.fields.map(
      (field) => [`${partyOf(direction)}.${field.name}`, exampleOf(field, entry, bankOf)] as const,
    ),
  ];
  const quote = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const line = (at: 0 | 1): string => cells.map((cell) => quote(cell[at])).join(',');
  return `${line(0)}\n${line(1)}\n`;
}

function exampleOf(
  { name, enum: values, example, type }: FieldDescriptor,
  { country, code }: MethodEntry,
  bankOf: (country: string, method: string) => string | null,
): string {
  if (name === 'bank_code') return bankOf(country, code) ?? example ?? '';
  const value = values?.[0] ?? example ?? (type === 'date' ? '2026-01-31' : '');
  return disarm(value) === value ? value : '';
}
