import { describe, expect, expectTypeOf, it } from 'vitest';
import { bodyText } from '../../src/batches/plan/row-reader.js';
import { readHeader } from '../../src/batches/file/columns.js';
import { Problems } from '../../src/runtime/problems.js';
import { REGISTRY } from '../../src/registry.js';
import { ECHOED_FIELDS, fieldsIn, flagNameOf, BODY_FIELDS } from '../../src/contract/body-fields.js';
import type { NewPayin, NewPayout } from '../../src/contract/body-fields.js';
import { DIRECTIONS } from '../../src/contract/operation.js';
import { OPERATION_MEMBERS } from '../../src/contract/operation-members.js';
import { CATALOG } from '../contract/catalog-given.js';

const SAID_BY_CATALOG = new Set(['amount', 'country', 'currency', 'method']);

const rowOf = (body: Record<string, unknown>): string => bodyText({ line: 1, body, text: null }, {});

describe.each(DIRECTIONS)('a %s', (direction) => {
  const fields = fieldsIn(direction);

  it.each(fields)('takes %s as a flag', async (name) => {
    const { flags } = await REGISTRY[`${direction}s create`]();
    expect(Object.keys(flags)).toContain(flagNameOf(name));
  });

  it.each(
    fields.filter(([name, { kind }]) => !SAID_BY_CATALOG.has(name) && (kind === 'text' || kind === 'number')),
  )(
    'says in words what %s may hold, where not every text or number will do',
    (_name, { shape, kind, use }) => {
      const judge = typeof shape === 'function' ? shape : shape.optional;
      const some = kind === 'text' ? ['', 'x', 'x'.repeat(5000)] : [0, 1, 1e9];
      const isNarrow = some.some((value) => judge(value, '').length > 0);
      expect(use !== undefined).toBe(isNarrow);
    },
  );

  it.each(fields.filter(([, { batchSummary }]) => batchSummary !== undefined))(
    'takes %s for all rows',
    async (name) => {
      const { flags } = await REGISTRY[`${direction}s batch`]();
      expect(Object.keys(flags)).toContain(flagNameOf(name));
    },
  );

  it.each(fields)('takes %s from a file, and loses nothing of it', (name, { kind, shape }) => {
    const { members = {} } = typeof shape === 'function' ? shape : shape.optional;
    const [part] = kind === 'anything' ? ['any.name'] : Object.keys(members);
    const problems = new Problems();
    const cell = part === undefined ? name : `${name}.${part}`;
    const columns = readHeader([...new Set([cell, 'reference'])], direction, CATALOG, problems);
    expect(problems.count).toBe(0);
    expect(columns.map(({ path }) => path[0])).toContain(name);
    expect(rowOf({ [name]: 'x' })).toBe(JSON.stringify({ [name]: 'x' }));
  });
});

it('has no two members in the same place, and those that were there first where they were', () => {
  const places = Object.entries(BODY_FIELDS).map(([name, { position }]) => ({ name, position }));
  expect(new Set(places.map(({ position }) => position)).size).toBe(places.length);
  const ordered = places.toSorted((one, other) => one.position - other.position).map(({ name }) => name);
  expect(ordered.slice(0, 11)).toEqual([
    ...['amount', 'country', 'currency', 'method', 'reference', 'purpose', 'expires_in_hours'],
    ...['payer', 'beneficiary', 'mandate', 'metadata'],
  ]);
});

it('writes a row of columns in that order, wherever the columns stood', () => {
  const body = { metadata: { a: '1' }, beneficiary: { name: 'Ana' }, purpose: 'payroll', amount: '1.00' };
  expect(rowOf(body)).toBe(
    '{"amount":"1.00","purpose":"payroll","beneficiary":{"name":"Ana"},"metadata":{"a":"1"}}',
  );
});

it('takes a member that is in no row for an error, and never drops it', () => {
  expect(() => rowOf({ amount: '1.00', tomorrow: 'x' })).toThrow('tomorrow is no field of a body');
});

it('has every echo among the members of an operation, between its failure and its concept', () => {
  const echoes = ECHOED_FIELDS.map(([name]) => name);
  const at = OPERATION_MEMBERS.indexOf('failure') + 1;
  expect(OPERATION_MEMBERS.slice(at, OPERATION_MEMBERS.indexOf('concept'))).toEqual(echoes);
});

it('says exactly what a body holds', () => {
  expectTypeOf<NewPayout['purpose']>().toEqualTypeOf<'remittance' | 'payroll' | undefined>();
  expectTypeOf<NewPayin['expires_in_hours']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<NewPayin['amount']>().toEqualTypeOf<string>();
  expectTypeOf<keyof NewPayin & ('beneficiary' | 'purpose')>().toEqualTypeOf<never>();
  expectTypeOf<keyof NewPayout & ('payer' | 'mandate' | 'expires_in_hours')>().toEqualTypeOf<never>();
});
