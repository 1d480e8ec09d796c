/** `svc capabilities`: the whole catalog, as the service says it. */
import { afterAll, expect, it } from 'vitest';
import { world } from '../support/svc.js';

const home = world();
afterAll(() => home.remove());

it('shows every country with its currencies and methods', async () => {
  const result = await home.svc('capability');
  expect(result.json()).toMatchObject({ config_version: expect.any(Number) as number });
  const countries = await home.svc(['capabilities', '--jq', '.countries[].currencies[].code']);
  expect(countries.stdout.split('\n')).toEqual(expect.arrayContaining(['VES', 'CLP', 'KWD']));
});
