import { fieldOf, fieldsIn, flagNameOf } from '../../contract/body-fields.js';
import type { FieldDescriptor, MethodEntry } from '../../contract/catalog.js';
import { type Direction, partyOf } from '../../contract/operation.js';

export interface Field extends Omit<FieldDescriptor, 'type'> {
  readonly type: FieldDescriptor['type'] | 'text' | 'pairs';
}

export type CreateNoun = 'payins' | 'payouts';

export interface CreateForm {
  readonly noun: CreateNoun;
  readonly country: string;
  readonly method: MethodEntry;
  readonly amount: string;
  readonly values: Readonly<Record<string, string>>;
  readonly otherValues: Readonly<Record<string, string>>;
}

export const examplesOf = ({ fields }: MethodEntry): Record<string, string> =>
  Object.fromEntries(
    fields
      .filter(({ required }) => required)
      .map((field) => [field.name, field.example ?? field.enum?.[0] ?? '']),
  );

export const directionOf = (noun: CreateNoun): Direction => (noun === 'payins' ? 'payin' : 'payout');

const FORM_NAMES = new Set<string>(['country', 'currency', 'method', 'amount', 'payer', 'beneficiary']);

export const otherFields = (noun: CreateNoun, { code }: { readonly code: string }): readonly Field[] =>
  fieldsIn(directionOf(noun))
    .filter(([name, { methods }]) => !FORM_NAMES.has(name) && methods?.some((one) => one === code) !== false)
    .flatMap(([name, { kind, shape }]) => {
      const { members = {}, words } = 'optional' in shape ? shape.optional : shape;
      if (kind === 'parts') return Object.keys(members).map((part) => otherField(`${name}.${part}`));
      const choice = words !== undefined && { enum: words };
      return [{ ...otherField(name), ...choice, ...(kind === 'anything' && { type: 'pairs' }) }];
    });

function otherField(name: string): Field {
  return { name, required: false, type: name.endsWith('_date') ? 'date' : 'text' };
}

export function bodyOf({ noun, country, method, amount, values, otherValues }: CreateForm): object {
  const others = nonEmpty(otherFields(noun, method), otherValues).map(
    ([name, value]) => [name, valueOf(name, value)] as const,
  );
  return {
    ...{ country, currency: method.currency, method: method.code, amount },
    [partyOf(directionOf(noun))]: nestMembers(nonEmpty(method.fields, values)),
    ...nestMembers(others),
  };
}

function valueOf(name: string, value: string): unknown {
  const { kind } = fieldOf(name.split('.', 1)[0] ?? '');
  if (kind === 'number') return /^[0-9]{1,9}$/.test(value) ? Number(value) : value;
  if (kind !== 'anything') return value;
  const pairs = linesOf(value).map((line) => /^([^=]+)=(.*)$/.exec(line)?.slice(1) ?? []);
  return pairs.every(({ length }) => length === 2) ? Object.fromEntries(pairs) : value;
}

const linesOf = (value: string): string[] => value.split('\n').filter((line) => line !== '');

function nestMembers(fields: readonly (readonly [name: string, value: unknown])[]): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const [name, value] of fields) {
    const [outer = '', inner] = name.split('.');
    members[outer] =
      inner === undefined ? value : { ...(members[outer] as object | undefined), [inner]: value };
  }
  return members;
}

export function createWords({ noun, country, method, amount, values, otherValues }: CreateForm): string[] {
  const party = partyOf(directionOf(noun));
  return [
    ...[noun, 'create', '--method', method.code, '--country', country, '--currency', method.currency],
    `--amount=${amount}`,
    ...nonEmpty(method.fields, values).flatMap(([name, value]) => [`--${party}`, `${name}=${value}`]),
    ...nonEmpty(otherFields(noun, method), otherValues).flatMap(([name, value]) => {
      const [outer = '', inner] = name.split('.');
      const flag = `--${flagNameOf(outer)}`;
      if (inner !== undefined) return [flag, `${inner}=${value}`];
      return (fieldOf(outer).kind === 'anything' ? linesOf(value) : [value]).map((text) => `${flag}=${text}`);
    }),
  ];
}

const nonEmpty = (fields: readonly Field[], values: CreateForm['values']): (readonly [string, string])[] =>
  fields.flatMap(({ name }) => {
    const value = values[name] ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
