/** `svc methods`: every method, or those of a country or a direction. */
import { afterAll, expect, it } from 'vitest';
import { world } from '../support/svc.js';

const home = world();
afterAll(() => home.remove());

interface Method {
  readonly country: string;
  readonly direction: string;
}

async function methods(flags: string): Promise<Method[]> {
  const result = await home.svc(`methods ${flags}`);
  expect(result.exitCode, result.stderr).toBe(0);
  return result.json()['methods'] as Method[];
}

it('lists them all, or fewer', async () => {
  const all = await methods('');
  expect(new Set(all.map(({ country }) => country)).size).toBeGreaterThan(1);
  expect(await methods('--country VE')).toEqual(all.filter(({ country }) => country === 'VE'));
  expect(await methods('--country ve')).toEqual(all.filter(({ country }) => country === 'VE'));
  expect(await methods('--direction payout')).toEqual(all.filter(({ direction }) => direction === 'payout'));
});

it.each(['VEN', 'V', '12', '', 'V\u00c9'])(
  'refuses the country %j itself, as a create does',
  async (country) => {
    for (const noun of ['methods', 'banks']) {
      const refused = await home.svc([noun, '--country', country, '--json']);
      expect([noun, refused.exitCode, refused.stdout]).toEqual([noun, 2, '']);
      expect(refused.error()).toMatchObject({
        ...{ code: 'field_invalid', outcome: 'not_sent' },
        details: [{ field: 'country', code: 'invalid' }],
      });
    }
  },
);

it('passes on what the service refuses', async () => {
  expect(await home.svc('methods --country XX')).toMatchObject({ exitCode: 6, stdout: '' });
  expect(await home.svc('methods --direction sideways')).toMatchObject({ exitCode: 2 });
});
