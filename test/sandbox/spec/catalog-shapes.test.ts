import { describe, expect, it } from 'vitest';
import { ALL_METHODS, bodyOf, INCOMING_METHODS } from '../support/bodies.js';
import { PARTY_FIELDS, partyOf, PAYIN_METHODS, routeOf } from '../support/bodies.js';
import { everyMethod } from '../support/catalog.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';

aWorldForEachTest();

const ENTRY_MEMBERS = 'availability code country currency direction fields max_amount min_amount name';
const AMOUNT = /^[0-9]+([.][0-9]+)?$/;

describe('GET /v2/capabilities', () => {
  it('has a version and countries, each with names, currencies and methods of each direction', async () => {
    const { json, status } = await world.get('/v2/capabilities');
    expect(status).toBe(200);
    expect(Object.keys(json).sort()).toEqual(['config_version', 'countries']);
    expect(Number.isInteger(json.config_version)).toBe(true);
    for (const country of json.countries) {
      expect(Object.keys(country).sort().join(' ')).toBe('code currencies name payin_methods payout_methods');
      expect(country.code).toMatch(/^[A-Z]{2}$/);
      expect(country.name).toMatch(/\S/);
      for (const { direction } of country.payin_methods) expect(direction).toBe('payin');
      for (const { direction } of country.payout_methods) expect(direction).toBe('payout');
      const codes = country.currencies.map(({ code }) => code);
      for (const method of [...country.payin_methods, ...country.payout_methods]) {
        expect(method.country).toBe(country.code);
        expect(codes).toContain(method.currency);
      }
    }
  });

  it('has at least two countries, and currencies with 2, 0 and 3 decimals', async () => {
    const { countries } = (await world.get('/v2/capabilities')).json;
    expect(countries.length).toBeGreaterThanOrEqual(2);
    const currencies = countries.flatMap((country) => country.currencies);
    expect(new Set(currencies.map(({ code }) => code)).size).toBeGreaterThanOrEqual(3);
    for (const decimals of [0, 2, 3])
      expect(currencies.map((currency) => currency.decimals)).toContain(decimals);
    expect(currencies.find(({ code }) => code === 'VES')?.decimals).toBe(2);
  });
});

describe('a method entry', () => {
  it('has exactly the fields of section 2.5, each of its type', async () => {
    const currencies = (await world.get('/v2/capabilities')).json.countries.flatMap(
      (country) => country.currencies,
    );
    for (const entry of await everyMethod(world)) {
      const { receiving_account: _, ...rest } = entry;
      expect(Object.keys(rest).sort()).toEqual(ENTRY_MEMBERS.split(' '));
      expect(['available', 'temporarily_unavailable', 'disabled']).toContain(entry.availability);
      expect(ALL_METHODS).toContain(entry.code);
      expect(entry.direction).toBe(
        (PAYIN_METHODS as readonly string[]).includes(entry.code) ? 'payin' : 'payout',
      );
      expect(entry.name).toMatch(/\S/);
      const decimals = currencies.find(({ code }) => code === entry.currency)!.decimals;
      for (const bound of [entry.min_amount, entry.max_amount]) {
        if (bound === null) continue;
        expect(bound).toMatch(AMOUNT);
        expect((bound.split('.')[1] ?? '').length).toBeLessThanOrEqual(decimals);
      }
      expect(Number(entry.max_amount ?? Infinity)).toBeGreaterThan(Number(entry.min_amount));
    }
  });

  it('declares fields that its schema has, each with an example or an enum that it accepts itself', async () => {
    for (const entry of await everyMethod(world)) {
      const names = entry.fields.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      for (const field of entry.fields) {
        expect(PARTY_FIELDS[partyOf(entry)]).toContain(field.name);
        expect(['string', 'enum', 'date']).toContain(field.type);
        expect(typeof field.required).toBe('boolean');
        expect(field.type === 'enum').toBe(field.enum !== undefined);
        expect(field.example ?? field.enum?.[0]).toMatch(/\S/);
        if (field.enum !== undefined && field.example !== undefined)
          expect(field.enum).toContain(field.example);
        if (field.pattern !== undefined && field.example !== undefined)
          expect(field.example).toMatch(new RegExp(field.pattern));
      }
      const bank = entry.fields.find(({ name }) => name === 'bank_code');
      if (bank !== undefined) {
        expect(bank.enum).toBeUndefined();
        expect(bank.pattern).toBeDefined();
      }
    }
  });

  it('has a receiving account only where the payer sends the money on their own', async () => {
    for (const { code, receiving_account: account } of await everyMethod(world)) {
      if (!(INCOMING_METHODS as readonly string[]).includes(code)) expect(account ?? null).toBeNull();
      if (account === undefined || account === null) continue;
      const own = code === 'incoming_transfer' ? 'account_number' : 'phone';
      expect(Object.keys(account).sort()).toEqual(['bank_code', 'document', 'holder', own].sort());
      if (code === 'incoming_transfer') expect(account.account_number).toMatch(/^[0-9]{20}$/);
    }
  });

  it('of every available method makes an operation from its own examples', async () => {
    const available = (await everyMethod(world)).filter(({ availability }) => availability === 'available');
    for (const entry of available) {
      const body = bodyOf(entry, '12345678', entry.min_amount);
      const { fields } = entry;
      if (
        !new RegExp(fields.find(({ name }) => name === 'document.number')?.pattern ?? '').test('12345678')
      ) {
        const example = fields.find(({ name }) => name === 'document.number')?.example;
        (body[partyOf(entry)] as { document: { number?: string | undefined } }).document.number = example;
      }
      const reply = await world.post(routeOf(entry.code), body, { idempotencyKey: world.freshKey() });
      expect([entry.country, entry.code, reply.status]).toEqual([entry.country, entry.code, 201]);
      expect(Number(reply.json.amount)).toBe(Number(entry.min_amount));
    }
  });
});

describe('VE with VES', () => {
  it.each(ALL_METHODS)('%s is available from 1.00 to 1000.00 and requires a document', async (method) => {
    const entry = (await everyMethod(world)).find(
      ({ code, country, currency }) => code === method && country === 'VE' && currency === 'VES',
    )!;
    expect(entry.availability).toBe('available');
    expect(Number(entry.min_amount)).toBeLessThanOrEqual(1);
    expect(Number(entry.max_amount ?? Infinity)).toBeGreaterThanOrEqual(1000);
    const required = entry.fields.filter((field) => field.required).map(({ name }) => name);
    expect(required).toEqual(expect.arrayContaining(['document.type', 'document.number']));
    expect((entry.receiving_account ?? null) !== null).toBe(
      (INCOMING_METHODS as readonly string[]).includes(method),
    );
  });
});
