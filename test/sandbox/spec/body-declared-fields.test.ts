import { describe, expect, it } from 'vitest';
import type { FieldDescriptor } from '../../../src/contract/catalog.js';
import { ALL_METHODS, bodyOf, changed, entryOf } from '../support/bodies.js';
import { PARTY_FIELDS, partyOf, routeOf, type Json } from '../support/bodies.js';
import { expectInvalid, expectRefusal, expectUnknown, invalidField } from '../support/expectations.js';
import type { Reply } from '../support/exchange.js';
import { openWorld, type World } from '../support/world.js';

const WRONG_TYPES: readonly unknown[] = [5, true, [], {}];

async function forFields(
  method: string,
  check: (field: FieldDescriptor, path: string, send: (value: unknown) => Promise<Reply>) => Promise<void>,
): Promise<void> {
  const world = await openWorld();
  const entry = await entryOf(world, method);
  expect(entry.fields.length).toBeGreaterThan(1);
  for (const field of entry.fields) {
    const path = `${partyOf(entry)}.${field.name}`;
    await check(field, path, (value) => post(world, method, changed(bodyOf(entry), path, value)));
  }
}

function post(world: World, method: string, body: Json): Promise<Reply> {
  return world.post(routeOf(method), body, { idempotencyKey: world.freshKey() });
}

async function setUp(method: string) {
  const world = await openWorld();
  const entry = await entryOf(world, method);
  return { world, entry, body: bodyOf(entry), party: partyOf(entry) };
}

describe.each(ALL_METHODS)('the counterparty of a %s', (method) => {
  it('is required', async () => {
    const { world, body, party } = await setUp(method);
    for (const nothing of [undefined, null, '']) {
      const reply = await post(world, method, changed(body, party, nothing));
      expect([reply.status, reply.json.error.code]).toEqual([400, 'field_required']);
      expect(reply.json.error.details).toContainEqual({ field: party, code: 'required' });
    }
  });

  it.each([['a string'], [1], [[]], [true]])('is an object, not %j', async (value) => {
    const { world, body, party } = await setUp(method);
    expectInvalid(await post(world, method, changed(body, party, value)), party);
  });

  it('misses every required field at once when empty', async () => {
    const { world, entry, body, party } = await setUp(method);
    const reply = await post(world, method, changed(body, party, {}));
    const required = entry.fields.filter((field) => field.required).map(({ name }) => `${party}.${name}`);
    expect(reply.json.error.code).toBe('field_required');
    const fields = (reply.json.error.details ?? []).map(({ field }) => field);
    // A missing object may be named by itself or by each field inside it.
    for (const path of required) expect(fields.some((field) => path.startsWith(field))).toBe(true);
  });

  it('is accepted with each declared field, required or not', async () => {
    await forFields(method, async ({ name, example, enum: values }, _path, send) => {
      for (const value of name === 'document.number' ? ['12345678'] : (values ?? [example]))
        expect([name, value, (await send(value)).status]).toEqual([name, value, 201]);
    });
  });

  it('is refused without each required field', async () => {
    await forFields(method, async ({ required }, path, send) => {
      for (const nothing of [undefined, null, '']) {
        const reply = await send(nothing);
        if (required) expectRefusal(reply, 'field_required', [{ field: path, code: 'required' }]);
        else if (nothing === '') expectInvalid(reply, path);
        else expect([path, reply.status]).toEqual([path, 201]);
      }
    });
  });

  it.each(WRONG_TYPES)('is refused with %j in any declared field', async (value) => {
    await forFields(method, async (_field, path, send) => {
      expectInvalid(await send(value), path);
    });
  });

  it.each(['!', ' ', '0102 ', '٣٣٣٣', 'x'.repeat(5000)])(
    'is refused with "%s" where a pattern or an enum forbids it',
    async (value) => {
      let judged = 0;
      await forFields(method, async ({ pattern, enum: values }, path, send) => {
        const isFine = values?.includes(value) ?? (pattern === undefined || new RegExp(pattern).test(value));
        if (isFine) return;
        judged += 1;
        expectInvalid(await send(value), path);
      });
      expect(judged).toBeGreaterThan(0);
    },
  );

  it('is refused with each field of the schema that the method does not declare', async () => {
    const { world, entry, body, party } = await setUp(method);
    const declared = entry.fields.map(({ name }) => name);
    for (const name of PARTY_FIELDS[party].filter((field) => !declared.includes(field))) {
      const reply = await post(world, method, changed(body, `${party}.${name}`, 'x'));
      expectUnknown(reply, `${party}.${name}`);
    }
  });

  it.each(['nickname', 'document.country', 'Name', '__proto__x'])(
    'is refused with %s, which no schema has',
    async (name) => {
      const { world, body, party } = await setUp(method);
      const reply = await post(world, method, changed(body, `${party}.${name}`, 'x'));
      expectUnknown(reply, `${party}.${name}`);
    },
  );
});

describe('a bank that supports only some methods', () => {
  it('is bank_unsupported for the others', async () => {
    const world = await openWorld();
    const { banks } = (await world.get('/v2/banks?country=VE')).json;
    let judged = 0;
    for (const method of ALL_METHODS) {
      const entry = await entryOf(world, method);
      if (!entry.fields.some(({ name }) => name === 'bank_code')) continue;
      const path = `${partyOf(entry)}.bank_code`;
      for (const bank of banks) {
        const reply = await post(world, method, changed(bodyOf(entry), path, bank.code));
        const supported = bank.methods.includes(method);
        expect([method, bank.code, reply.status]).toEqual([method, bank.code, supported ? 201 : 400]);
        if (supported) continue;
        judged += 1;
        expectRefusal(reply, 'bank_unsupported', invalidField(path));
      }
    }
    expect(judged).toBeGreaterThan(0);
  });
});
