import { describe, expect, it } from 'vitest';
import { validBody } from '../support/bodies.js';
import { openWorld, type World } from '../support/world.js';

const KEY = 'the-key-of-one-request';

describe('numbers in a body', () => {
  const send = async (world: World, number: string): Promise<number> => {
    const text = JSON.stringify(await validBody(world, 'bank_transfer'));
    const body = `${text.slice(0, -1)},"metadata":{"n":${number}}}`;
    return (await world.post('/v2/payouts', body, { idempotencyKey: KEY })).status;
  };

  it.each([
    ['1', '1.0', 201],
    ['100', '1e2', 201],
    ['0', '-0', 201],
    ['1e2', '1.0E+2', 201],
    ['10', '1', 409],
    ['12345678901234567890', '12345678901234567891', 409],
    ['1', '-1', 409],
    ['1', '"1"', 409],
  ])('%s and then %s answers %i', async (first, second, status) => {
    const world = await openWorld();
    expect([await send(world, first), await send(world, second)]).toEqual([201, status]);
  });
});
