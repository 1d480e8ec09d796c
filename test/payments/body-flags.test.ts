import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assignment,
  type Assignment,
  BodyDraft,
  numberAssignment,
  objectAssignment,
  pathAssignments,
} from '../../src/payments/body-flags.js';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
const bytes = (json: string): Uint8Array => Buffer.from(json);
const buildBody = (data: Uint8Array | null, assignments: readonly Assignment[]): Uint8Array =>
  BodyDraft.of(data).assigned(assignments).build().bytes;

describe('building a body', () => {
  it('sends data without flags exactly as it came', () => {
    const data = bytes(' { "amount" : "1.10", "x":1.10,"n":12345678901234567890 }\n');
    expect(buildBody(data, [])).toBe(data);
  });

  it('lets flags win and keeps every other byte', () => {
    const N = '"n":12345678901234567890';
    const data = bytes(`{${N},"amount":"1.00","payer":{"x":1.10,"document":{"type":"V"}}}`);
    const body = buildBody(data, [
      ...assignment('--amount', 'amount', '2.50'),
      ...pathAssignments('--payer', ['payer'], ['document.number=12=3', 'phone=0412']),
    ]);
    const payer = '{"x":1.10,"document":{"type":"V","number":"12=3"},"phone":"0412"}';
    expect(text(body)).toBe(`{${N},"amount":"2.50","payer":${payer}}`);
  });

  it('builds from flags alone', () => {
    const body = buildBody(null, [
      ...assignment('--amount', 'amount', '10'),
      ...assignment('--reference', 'reference', undefined),
      ...numberAssignment('--expires-in-hours', 'expires_in_hours', '24'),
      ...objectAssignment('--metadata-json', 'metadata', '{"a":1.10}'),
      ...pathAssignments('--metadata', ['metadata'], ['b=2']),
    ]);
    expect(text(body)).toBe('{"amount":"10","expires_in_hours":24,"metadata":{"a":1.10,"b":"2"}}');
  });

  it('keeps hostile names as plain members', () => {
    const body = buildBody(null, pathAssignments('--payer', ['payer'], ['__proto__.x=1', 'constructor=2']));
    expect(text(body)).toBe('{"payer":{"__proto__":{"x":"1"},"constructor":"2"}}');
  });

  const of = (flag: string, ...values: string[]) =>
    pathAssignments(flag, flag === '-f' ? [] : ['payer'], values);
  it.each([
    ['an array', () => buildBody(bytes('[]'), [])],
    ['not JSON', () => buildBody(bytes('{'), [])],
    ['a BOM', () => buildBody(bytes('\uFEFF{}'), [])],
    ['invalid UTF-8', () => buildBody(new Uint8Array([0x7b, 0xff, 0x7d]), [])],
    ['a name twice', () => buildBody(bytes('{"a":1,"a":2}'), [])],
    ['a name twice, once by an escape', () => buildBody(bytes('{"a":1,"\\u0061":2}'), [])],
    ['a name twice inside', () => buildBody(bytes('{"payer":{"document":{"type":"V","type":"E"}}}'), [])],
    ['one in a list, beside flags', () => buildBody(bytes('{"m":[{"a":1,"a":1}]}'), of('-f', 'x=1'))],
    ['a name of metadata twice', () => objectAssignment('--metadata-json', 'metadata', '{"a":1,"a":1}')],
    ['one in metadata', () => objectAssignment('--metadata-json', 'metadata', '{"b":[{"a":1,"a":1}]}')],
    ['a path twice', () => buildBody(null, of('--payer', 'a=1', 'a=2'))],
    ['no value', () => buildBody(null, of('--payer', 'phone'))],
    ['no path', () => buildBody(null, of('--payer', '=1'))],
    ['a path into text', () => buildBody(bytes('{"payer":"x"}'), of('--payer', 'a=1'))],
    ['a fraction', () => numberAssignment('--expires-in-hours', 'expires_in_hours', '1.5')],
    ['an array as metadata', () => objectAssignment('--metadata-json', 'metadata', '[1]')],
  ])('refuses %s', (_, build) => expect(build).toThrow(expect.objectContaining({ kind: 'usage' }) as Error));

  it('sets any string to exactly that string', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const body = buildBody(bytes('{"other":1}'), assignment('--reference', 'reference', value));
        expect(JSON.parse(text(body))).toEqual({ other: 1, reference: Buffer.from(value).toString('utf8') });
      }),
    );
  });
});
