import { expect, it } from 'vitest';
import { bodyLine, PlanDamaged } from '../../../../src/batches/approval/plan/format.js';

it.each([
  ['{ "b": 1.50, "a" : [1, 2] }', '{"b":1.5,"a":[1,2]}'],
  ['{"a":"\\u00e9\\/"}', '{"a":"é/"}'],
  ['{"2":1,"1":2}', '{"1":2,"2":1}'],
  ['{"__proto__":{"x":1},"a":null}', '{"__proto__":{"x":1},"a":null}'],
])('writes %s as %s, once and for all', (text, line) => {
  expect(bodyLine(Buffer.from(text))).toBe(line);
  expect(bodyLine(Buffer.from(line))).toBe(line);
});

it.each([
  ['a member twice', '{"a":1,"a":2}', 'has a member twice'],
  ['a member twice by an escape, inside', '{"x":{"a":1,"\\u0061":2}}', 'has a member twice'],
  ['a number that loses digits', '{"a":12345678901234567890}', 'more digits than are kept'],
  ['a fraction that loses digits', '{"a":0.1000000000000000055511151231257827}', 'more digits than are kept'],
  ['a list', '[1]', 'is not a JSON object'],
  ['no JSON', '{', 'is not a JSON object'],
])('refuses %s', (_, text, why) => {
  expect(() => bodyLine(Buffer.from(text))).toThrow(PlanDamaged);
  expect(() => bodyLine(Buffer.from(text))).toThrow(why);
});
