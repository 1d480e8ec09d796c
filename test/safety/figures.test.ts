import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { VARIABLES, whyNotWritten } from '../../scripts/safety/figures.js';
import { ROOT } from '../house/source.js';

it('is written where no variable makes the run another one', () => {
  expect(whyNotWritten({ PATH: '/bin', SOAK: '1' })).toBeNull();
});

it.each([
  [{ POWER_SHARE: '0.1' }, 'POWER_SHARE is set'],
  [{ SEED: '7', HISTORIES_KILLS: '300' }, 'HISTORIES_KILLS and SEED are set'],
])('is not written with %j', (env, why) => {
  expect(whyNotWritten(env)).toBe(`The figures stay as they were, because ${why}.`);
});

const OTHERS = ['PATH', 'SOAK', 'SOAK_DEBUG', 'SOAK_FIGURES'];
const ASKED = /process\.env\['(\w+)'\]/g;

it('knows each variable that a harness asks for', () => {
  const folder = join(ROOT, 'test/soak');
  const asked = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(ASKED)].map(([, one]) => one));
  expect([...new Set(asked)].filter((one) => !OTHERS.includes(one ?? '')).toSorted()).toEqual(VARIABLES);
});
