import { expect, it } from 'vitest';
import { createStyle, PLAIN, isColourWanted } from '../../src/output/style.js';

it.each([
  [false, {}, true, true],
  [false, {}, false, false],
  [false, { TERM: 'dumb' }, true, false],
  [false, { NO_COLOR: '1' }, true, false],
  [false, { NO_COLOR: '' }, true, true],
  [false, { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  [false, { FORCE_COLOR: '1' }, false, true],
  [false, { FORCE_COLOR: '' }, false, true],
  [false, { FORCE_COLOR: '3', TERM: 'dumb' }, true, true],
  [false, { FORCE_COLOR: '0' }, true, false],
  [false, { FORCE_COLOR: 'false' }, true, false],
  [true, { FORCE_COLOR: '1' }, true, false],
  [true, {}, true, false],
])('isColourWanted --no-color %s, %j, terminal %s: %s', (flag, env, isTTY, wanted) => {
  expect(isColourWanted(flag, env, isTTY)).toBe(wanted);
});

it('createStyle colours only where that was decided', async () => {
  expect(await createStyle(false)).toBe(PLAIN);
  expect((await createStyle(true)).bad('x')).toBe('\u001b[31mx\u001b[39m');
});
