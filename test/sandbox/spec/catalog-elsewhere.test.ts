import { describe, expect, it } from 'vitest';
import { bodyOf, routeOf } from '../support/bodies.js';
import { everyMethod } from '../support/catalog.js';
import { expectRefusal, invalidField } from '../support/expectations.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';

aWorldForEachTest();

describe('what is elsewhere', () => {
  it.each([
    ['temporarily_unavailable', 'temporarily_unavailable'],
    ['disabled', 'method_unavailable'],
  ])('a method that is %s answers %s', async (availability, code) => {
    const entries = (await everyMethod(world)).filter((entry) => entry.availability === availability);
    expect(entries.length).toBeGreaterThan(0);
    for (const entry of entries) {
      const body = bodyOf(entry, entry.fields.find(({ name }) => name === 'document.number')?.example);
      const call = { idempotencyKey: world.freshKey() };
      const reply = await world.post(routeOf(entry.code), { ...body, amount: entry.min_amount }, call);
      const details = code === 'method_unavailable' ? invalidField('method') : undefined;
      expectRefusal(reply, code, details);
    }
  });

  it('a currency of another country is currency_unsupported', async () => {
    const { countries } = (await world.get('/v2/capabilities')).json;
    const own = countries.find(({ code }) => code === 'VE')!;
    const known = own.currencies.map(({ code }) => code);
    const foreign = countries
      .flatMap(({ currencies }) => currencies)
      .find(({ code }) => !known.includes(code))!;
    const body = bodyOf(own.payin_methods.find(({ currency }) => currency === 'VES')!);
    const reply = await world.post(
      '/v2/payins',
      { ...body, currency: foreign.code },
      { idempotencyKey: 'a-key-of-mine' },
    );
    expectRefusal(reply, 'currency_unsupported', invalidField('currency'));
  });
});
