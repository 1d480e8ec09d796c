import { describe, expect, it } from 'vitest';
import { ALL_METHODS } from '../support/bodies.js';
import { expectInvalid, expectRefusal, expectRequired, invalidField } from '../support/expectations.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';

aWorldForEachTest();

describe('GET /v2/methods', () => {
  it('lists every method of the capabilities', async () => {
    const { countries } = (await world.get('/v2/capabilities')).json;
    const { json } = await world.get('/v2/methods');
    expect(Object.keys(json)).toEqual(['methods']);
    const all = countries.flatMap((one) => [...one.payin_methods, ...one.payout_methods]);
    expect(json.methods).toHaveLength(all.length);
    expect(json.methods).toEqual(expect.arrayContaining(all));
  });

  it.each(['VE', 've', 'Ve'])('of country %s has only that country', async (country) => {
    const { methods } = (await world.get(`/v2/methods?country=${country}`)).json;
    const all = (await world.get('/v2/methods')).json.methods;
    expect(methods).toEqual(all.filter((entry) => entry.country === 'VE'));
    expect(methods.length).toBeGreaterThanOrEqual(6);
    expect(methods.length).toBeLessThan(all.length);
  });

  it.each(['payin', 'payout'])('of direction %s has only that direction', async (direction) => {
    const { methods } = (await world.get(`/v2/methods?direction=${direction}`)).json;
    const all = (await world.get('/v2/methods')).json.methods;
    expect(methods).toEqual(all.filter((entry) => entry.direction === direction));
    const both = (await world.get(`/v2/methods?country=VE&direction=${direction}`)).json.methods;
    expect(both).toEqual(methods.filter((entry) => entry.country === 'VE'));
    expect(both.length).toBeGreaterThan(0);
  });

  it('of an unknown country is country_unsupported', async () => {
    const reply = await world.get('/v2/methods?country=XX');
    expectRefusal(reply, 'country_unsupported', invalidField('country'));
  });

  it.each(['V', 'VEN', '12', '', 'V%C3%89', '%20VE'])(
    'of a malformed country "%s" is a 400 that names it',
    async (country) => {
      const reply = await world.get(`/v2/methods?country=${country}`);
      expect(reply.status).toBe(400);
      expect(['field_invalid', 'country_unsupported']).toContain(reply.json.error.code);
      expect(reply.json.error.details).toEqual(invalidField('country'));
    },
  );

  it.each(['both', 'PAYIN', '', 'payin,payout'])('of direction "%s" is field_invalid', async (direction) => {
    const reply = await world.get(`/v2/methods?direction=${direction}`);
    expectInvalid(reply, 'direction');
  });
});

describe('GET /v2/banks', () => {
  it('lists code, name and methods, and has one that supports only some', async () => {
    const { json } = await world.get('/v2/banks?country=VE');
    expect(Object.keys(json)).toEqual(['banks']);
    expect(json.banks.length).toBeGreaterThan(2);
    for (const bank of json.banks) {
      expect(Object.keys(bank).sort()).toEqual(['code', 'methods', 'name']);
      expect(bank.code).toMatch(/^[0-9]{4}$/);
      expect(ALL_METHODS).toEqual(expect.arrayContaining([...bank.methods]));
    }
    expect(json.banks.some(({ methods }) => methods.length < ALL_METHODS.length)).toBe(true);
  });

  it.each(ALL_METHODS)('with method %s has only the banks that support it', async (method) => {
    const all = (await world.get('/v2/banks?country=ve')).json.banks;
    const { banks } = (await world.get(`/v2/banks?country=VE&method=${method}`)).json;
    expect(banks).toEqual(all.filter(({ methods }) => methods.includes(method)));
    expect(banks.length).toBeGreaterThan(0);
  });

  it('is the same for every country of the capabilities', async () => {
    const { countries } = (await world.get('/v2/capabilities')).json;
    for (const { code } of countries)
      expect((await world.get(`/v2/banks?country=${code}`)).json.banks.length).toBeGreaterThan(0);
  });

  it.each(['', '?method=debit_otp', '?country=', '?country'])(
    'without a country ("%s") is field_required',
    async (query) => {
      const reply = await world.get(`/v2/banks${query}`);
      expectRequired(reply, 'country');
    },
  );

  it.each(['XX', 'V', 'VEN', '12', '%00%00'])('of country "%s" is country_unsupported', async (country) => {
    const reply = await world.get(`/v2/banks?country=${country}`);
    expectRefusal(reply, 'country_unsupported', invalidField('country'));
  });

  it.each(['cash', 'DEBIT_OTP', '__proto__'])('with method "%s" is method_unavailable', async (method) => {
    const reply = await world.get(`/v2/banks?country=VE&method=${method}`);
    expectRefusal(reply, 'method_unavailable', invalidField('method'));
  });
});

describe('a query parameter', () => {
  it.each([
    ['/v2/methods?country=VE&country=VE', 'country'],
    ['/v2/methods?country=VE&country=XX', 'country'],
    ['/v2/methods?direction=payin&direction=payin', 'direction'],
    ['/v2/methods?country[]=VE', 'country'],
    ['/v2/methods?direction[0]=payin', 'direction'],
    ['/v2/banks?country=VE&country=VE', 'country'],
    ['/v2/banks?country=VE&method=debit_otp&method=debit_otp', 'method'],
    ['/v2/banks?country=VE&method[]=debit_otp', 'method'],
    ['/v2/events?limit=1&limit=1', 'limit'],
    ['/v2/events?limit[]=1', 'limit'],
    ['/v2/events?cursor=a&cursor=a', 'cursor'],
    ['/v2/events?cursor[x]=a', 'cursor'],
  ])('twice or in array syntax is field_invalid: %s', async (path, name) => {
    const reply = await world.get(path);
    expect([reply.status, reply.json.error.code]).toEqual([400, 'field_invalid']);
    expect(reply.json.error.details?.[0]?.field.startsWith(name)).toBe(true);
  });
});
