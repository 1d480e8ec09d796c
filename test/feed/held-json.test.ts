import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { storableJson } from '../../src/events/into/rows.js';
import { openDatabaseHere } from '../support/postgres.js';

const server = await openDatabaseHere();
afterAll(() => server?.stop());

const ODD = ['\\u0000', '\\ud83d', '\\ude00', '\\ud83d\\ude00', '\\\\u0000', '\\/', '\\n', '\u00e9'];
const written = fc.string().map((part) => JSON.stringify(part).slice(1, -1));
const text = fc.array(fc.oneof(written, fc.constantFrom(...ODD))).map((parts) => `"${parts.join('')}"`);
const ENDS = ['', '.0', '.10', '.5e1', 'e400', 'E-400', 'e+99999', 'e-20000', '0'.repeat(1200)];
const number = fc
  .tuple(fc.constantFrom('', '-'), fc.nat(), fc.constantFrom(...ENDS))
  .map((parts) => parts.join(''));
const space = fc.constantFrom('', ' ', '\n\t');
const { json } = fc.letrec<{ json: string }>((tie) => {
  const list = fc.tuple(space, fc.array(tie('json'), { maxLength: 4 }));
  const member = fc.tuple(space, fc.oneof(text, fc.constant('"a"')), tie('json'));
  const named = member.map(([gap, name, value]) => `${name}${gap}:${gap}${value}`);
  const object = fc.tuple(space, fc.array(named, { maxLength: 4 }));
  return {
    json: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(text, number, fc.constantFrom('true', 'false', 'null')),
      list.map(([gap, all]) => `[${gap}${all.join(`,${gap}`)}${gap}]`),
      object.map(([gap, all]) => `{${gap}${all.join(',')}${gap}}`),
    ),
  };
});

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('what a parser takes', () => {
  it.skipIf(server === null)('is taken by PostgreSQL, and is what it was where it is whole', async () => {
    const samples = fc.sample(json, { numRuns: 3000, seed: 4 });
    const held = samples.map((sample) => storableJson(sample, JSON.parse(sample))!);
    const sql = 'SELECT value::jsonb AS value FROM unnest($1::text[]) WITH ORDINALITY AS u(value, at)';
    const read = await server!.query(`${sql} ORDER BY at`, [held.map((one) => one.text)]);
    let whole = 0;
    for (const [at, { isUnchanged, text: sent }] of held.entries()) {
      if (!isUnchanged) continue;
      whole += 1;
      expect(sent).toBe(samples[at]);
      expect(plain(read[at]!['value']), sent).toEqual(plain(JSON.parse(sent)));
    }
    expect(whole).toBeGreaterThan(500);
    expect(samples.length - whole).toBeGreaterThan(500);
  });

  it.each([
    ...['{"a":1}', '{"a":"\\\\u0000"}', '{"a":"\\ud83d\\ude00"}', '[1e5, 1.50]', '{"a":{"b":1},"b":1}'],
  ])('%s is whole', (sent) => expect(storableJson(sent, JSON.parse(sent))?.isUnchanged).toBe(true));

  it.each([
    ...['{"a":1,"a":1}', '{"a":"\\u0000"}', '{"\\u0000":1}', '{"a":"\\ud800"}', '[1e99999]'],
    `[${'9'.repeat(1001)}]`,
  ])('%s is not whole', (sent) => expect(storableJson(sent, JSON.parse(sent))?.isUnchanged).toBe(false));

  it('is held no deeper than anybody reads it', () => {
    const deep = '['.repeat(3000) + ']'.repeat(3000);
    expect(storableJson(deep, JSON.parse(deep))).toBeNull();
  });
});
