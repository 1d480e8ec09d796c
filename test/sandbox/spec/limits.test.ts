import { describe, expect, it } from 'vitest';
import type { MethodEntry } from '../../../src/contract/catalog.js';
import { bodyOf, routeOf, validBody } from '../support/bodies.js';
import { everyMethod } from '../support/catalog.js';
import { expectInvalid, expectRefusal, invalidField } from '../support/expectations.js';
import type { Reply } from '../support/exchange.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';
import { openWorld } from '../support/world.js';

aWorldForEachTest();

async function createWithMetadata(method: string, metadata: string): Promise<Reply> {
  const world = await openWorld();
  const text = JSON.stringify(await validBody(world, method));
  const body = `${text.slice(0, -1)},"metadata":${metadata}}`;
  return world.post(routeOf(method), body, { idempotencyKey: world.freshKey() });
}
const TOO_LARGE = invalidField('metadata');
const filled = (bytes: number, fill: string): string => {
  const frame = '{"a":""}';
  const count = (bytes - frame.length) / Buffer.byteLength(fill);
  return `{"a":"${fill.repeat(Math.floor(count))}${'x'.repeat((bytes - frame.length) % Buffer.byteLength(fill))}"}`;
};

describe.each(['debit_otp', 'incoming_transfer', 'bank_transfer'])('the metadata of a %s', (method) => {
  it.each(['x', 'é', '€', '😀', '\\n'])(
    'of 4096 bytes of "%s" is accepted, one more is not',
    async (fill) => {
      expect(Buffer.byteLength(filled(4096, fill))).toBe(4096);
      expect((await createWithMetadata(method, filled(4096, fill))).status).toBe(201);
      expectRefusal(await createWithMetadata(method, filled(4097, fill)), 'field_invalid', TOO_LARGE);
    },
  );

  it('is counted as sent, with its spaces', async () => {
    const spaced = (bytes: number): string => `{${' '.repeat(bytes - 8)}"a":1}`;
    expect((await createWithMetadata(method, spaced(4096))).status).toBe(201);
    expectRefusal(await createWithMetadata(method, spaced(4098)), 'field_invalid', TOO_LARGE);
  });
});

const senderOf = (entry: MethodEntry) => {
  const document = entry.fields.find(({ name }) => name === 'document.number')?.example;
  return (amount: string): Promise<Reply> => {
    const call = { idempotencyKey: world.freshKey() };
    return world.post(routeOf(entry.code), bodyOf(entry, document, amount), call);
  };
};

describe('the bounds of an amount', () => {
  it('are inclusive, for every available method of the catalog', async () => {
    const { countries } = (await world.get('/v2/capabilities')).json;
    let capped = 0;
    for (const entry of await everyMethod(world)) {
      if (entry.availability !== 'available') continue;
      const { decimals } = countries
        .flatMap(({ currencies }) => currencies)
        .find(({ code }) => code === entry.currency)!;
      const step = (amount: string, by: bigint): string => {
        const [whole = '', fraction = ''] = amount.split('.');
        const minor = (BigInt(whole + fraction.padEnd(decimals, '0')) + by)
          .toString()
          .padStart(decimals + 1, '0');
        return decimals === 0 ? minor : `${minor.slice(0, -decimals)}.${minor.slice(-decimals)}`;
      };
      const send = senderOf(entry);
      const details = invalidField('amount');
      expect((await send(entry.min_amount)).status).toBe(201);
      expectRefusal(await send(step(entry.min_amount, -1n)), 'amount_out_of_range', details);
      if (entry.max_amount === null) {
        expect((await send('999999999999')).status).toBe(201);
        continue;
      }
      capped += 1;
      expect((await send(entry.max_amount)).status).toBe(201);
      expectRefusal(await send(step(entry.max_amount, 1n)), 'amount_out_of_range', details);
    }
    expect(capped).toBeGreaterThan(0);
  });

  it('have as many decimals as the currency, for every currency', async () => {
    const { countries } = (await world.get('/v2/capabilities')).json;
    const seen = new Set<number>();
    for (const entry of (await everyMethod(world)).filter(
      ({ availability }) => availability === 'available',
    )) {
      const { decimals } = countries
        .flatMap(({ currencies }) => currencies)
        .find(({ code }) => code === entry.currency)!;
      seen.add(decimals);
      const whole = entry.min_amount.split('.')[0]!;
      const send = senderOf(entry);
      const amount = String(BigInt(whole) + 10n);
      const full = decimals === 0 ? amount : `${amount}.${'0'.repeat(decimals)}`;
      expect((await send(amount)).json.amount).toBe(full);
      expect((await send(full)).json.amount).toBe(full);
      const tooFine = `${amount}.${'0'.repeat(decimals)}1`;
      expectInvalid(await send(tooFine), 'amount');
    }
    expect([...seen].sort()).toEqual([0, 2, 3]);
  });

  it('never lose a digit of an amount beyond 2^53', async () => {
    const open = (await everyMethod(world)).find(
      ({ max_amount, availability }) => max_amount === null && availability === 'available',
    );
    if (open === undefined) return;
    const reply = await senderOf(open)('90071992547409931234567');
    expect(reply.json.amount).toMatch(/^90071992547409931234567([.]0+)?$/);
  });
});

describe('a body', () => {
  const MIB = 1_048_576;
  const padded = async (method: string, bytes: number): Promise<Reply> => {
    const world = await openWorld();
    const text = JSON.stringify(await validBody(world, method));
    return world.post(routeOf(method), text + ' '.repeat(bytes - text.length), {
      idempotencyKey: 'a-large-body',
    });
  };

  it('of exactly 1 MiB is read', async () => expect((await padded('bank_transfer', MIB)).status).toBe(201));

  it.each([MIB + 1, 4 * MIB])('of %i bytes is 413 body_invalid', async (bytes) => {
    const { status, json } = await padded('bank_transfer', bytes);
    expect([status, json.error.code, json.error.details]).toEqual([413, 'body_invalid', undefined]);
  });
});
