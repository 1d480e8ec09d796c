import { afterAll, expect, it } from 'vitest';
import { world } from '../support/svc.js';

const here = world();
afterAll(() => here.remove());
const PERSON = { tty: { stdout: true, stderr: true }, env: { NO_COLOR: '1' }, columns: 200 };

it.each([
  ['events list --cursor zz', 'cursor', '--cursor', '--cursor "$(svc events list --jq .next_cursor)"'],
  ['events list --all --cursor zz', 'cursor', '--cursor', '--cursor "$(svc events list --jq .next_cursor)"'],
  ['events tail --no-follow --from zz', 'cursor', '--from', '--from start'],
  ['methods --country ZZ', 'country', '--country', '--country VE'],
  ['banks --country ZZ', 'country', '--country', '--country VE'],
])('svc %s', async (line, field, flag, example) => {
  const { stderr, exitCode } = await here.svc(line, PERSON);
  expect(exitCode, stderr).toBe(6);
  expect(stderr).toContain(`  ${flag} is not valid: `);
  expect(stderr).toContain(`for example ${example}\n`);
  expect(stderr).not.toContain(`${field}: invalid`);
  expect((await here.svc(line)).error()['details']).toEqual([{ field, code: 'invalid' }]);
});
