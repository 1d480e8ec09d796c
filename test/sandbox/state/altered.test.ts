import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isObject } from '../../../src/contract/shape.js';
import { exported, imported, live, opened, send, steps } from './life.js';
import { rounds } from '../../support/rounds.js';

function placesIn(value: unknown): { holder: Record<string, unknown> | unknown[]; name: string }[] {
  if (!isObject(value) && !Array.isArray(value)) return [];
  const holder = value as Record<string, unknown>;
  return Object.entries(holder).flatMap(([name, inner]) => [{ holder, name }, ...placesIn(inner)]);
}

const OTHERS: readonly unknown[] = [
  ...[null, '', 0, -1, 1.5, 1e300, true, [], {}, [null], 'x', '\ud800', 2 ** 53],
  ...['2026-01-01T00:00:00Z', '9990-12-30T00:00:00.000Z', '1970-01-01T00:00:00Z'],
  ...['00000000-0000-4000-8000-000000000000', 'VES', 'USD', 'CLP', '10', '99999999', 'hold', 'test.ping'],
  ...['pending', 'failed', 'confirmed', 'processing', 'awaiting_code', 'awaiting_payment'],
];

const alteration = fc.record({
  ...{ place: fc.nat(), from: fc.nat(), other: fc.nat({ max: OTHERS.length - 1 }) },
  how: fc.constantFrom('remove', 'other', 'copy', 'double'),
});
type Alteration = typeof alteration extends fc.Arbitrary<infer One> ? One : never;

function alter(document: unknown, { place, how, other, from }: Alteration): void {
  const all = placesIn(document);
  const { holder, name } = all[place % all.length]!;
  const source = all[from % all.length]!;
  const value = (source.holder as Record<string, unknown>)[source.name];
  if (how === 'double' && Array.isArray(holder))
    holder.push(structuredClone((holder as unknown as Record<string, unknown>)[name]));
  else if (how === 'remove' && Array.isArray(holder)) holder.splice(Number(name), 1);
  else if (how === 'remove') Reflect.deleteProperty(holder, name);
  else (holder as Record<string, unknown>)[name] = how === 'copy' ? structuredClone(value) : OTHERS[other];
}

const READ = ['companies', 'operations', 'deliveries', 'faults'].map((name) => `/_control/${name}`);
const PATHS = ['/sandbox/v2/balances', '/sandbox/v2/events', ...READ];
const answers = { refused: 0, taken: 0 };

it('is refused with a path, or goes on', () => {
  const few = fc.array(alteration, { minLength: 1, maxLength: 2 });
  const property = fc.property(steps, fc.array(few, { minLength: 25, maxLength: 25 }), (all, tries) => {
    const one = opened('one');
    live(one, all);
    const document = exported(one.sandbox);
    for (const alterations of tries) {
      const value: unknown = JSON.parse(document);
      for (const one of alterations) alter(value, one);
      const other = opened('other');
      const before = exported(other.sandbox);
      const { status, json } = imported(other.sandbox, JSON.stringify(value));
      if (status === 200) {
        answers.taken += 1;
        const kept = exported(other.sandbox);
        expect(imported(other.sandbox, kept).status).toBe(200);
        expect(exported(other.sandbox)).toBe(kept);
        const far = { advance_seconds: 400 * 3600 };
        expect(send(other.sandbox, 'POST', '/_control/clock', far).status).toBe(200);
        for (const path of PATHS) expect([200, 503]).toContain(send(other.sandbox, 'GET', path).status);
        other.sandbox.outbox.runRound([], []);
      } else {
        answers.refused += 1;
        expect(status).toBe(400);
        expect(json.error.message).toMatch(/^Line \d+/);
        expect(exported(other.sandbox)).toBe(before);
      }
      other.sandbox.close();
    }
    one.sandbox.close();
  });
  fc.assert(property, { numRuns: rounds(40) });
  expect(answers.refused).toBeGreaterThan(rounds(100));
  expect(answers.taken).toBeGreaterThan(rounds(20));
}, 120_000);
