import { expect, it } from 'vitest';
import { isPersonThere, mayConverse, lineReplacer } from '../../../src/command/line/terminal.js';
import type { FormatFlags } from '../../../src/command/line/terminal.js';
import type { Ports } from '../../../src/runtime/ports.js';

const at = (env: Ports['env'], input = true, errors = true): Pick<Ports, 'input' | 'errors' | 'env'> =>
  ({ env, input: { isTTY: input }, errors: { isTTY: errors } }) as Ports;

it.each<[string, Pick<Ports, 'input' | 'errors' | 'env'>, FormatFlags, boolean, boolean]>([
  ['two terminals', at({}), {}, true, true],
  ['no terminal to type at', at({}, false), {}, false, false],
  ['no terminal to read at', at({}, true, false), {}, false, false],
  ['a build server', at({ CI: 'true' }), {}, false, false],
  ['CI=0', at({ CI: '0' }), {}, true, true],
  ['--no-input', at({}), { 'no-input': true }, false, false],
  ['--json', at({}), { json: true }, true, false],
  ['--jq', at({}), { jq: '.id' }, true, false],
  ['a terminal that cannot move its cursor', at({ TERM: 'dumb' }), {}, true, false],
  ['the same where lines are wanted', at({ TERM: 'dumb', ACCESSIBLE: '1' }), {}, true, true],
])('%s', (_what, ports, flags, isThere, converses) => {
  expect([isPersonThere(ports, flags), mayConverse(ports, flags)]).toEqual([isThere, converses]);
});

it.each([
  [59, 60, ''],
  [60, 60, ''],
  [61, 60, '\u001b[1A\u001b[J'],
  [119, 40, '\u001b[2A\u001b[J'],
  [0, 40, ''],
])('paints over a line of %i columns where the window now has %i', (length, columns, erased) => {
  const window = { columns: 120 };
  const paint = lineReplacer(window);
  const line = 'x'.repeat(length);
  expect(paint(line)).toBe(`\r\u001b[K${line}`);
  window.columns = columns;
  expect(paint('y'.repeat(200))).toBe(`\r${erased}\u001b[K${'y'.repeat(columns - 1)}`);
  expect(paint('')).toBe('\r\u001b[K');
});
