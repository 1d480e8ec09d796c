import { describe, expect, it } from 'vitest';
import { create, validBody } from '../support/bodies.js';
import { allEvents, balanceOf } from '../support/expectations.js';
import { openServedWorld } from '../support/served-world.js';

describe('a fault on the wire', () => {
  it.each([
    ['drop-before', 0],
    ['drop-after', 1],
  ])('%s cuts the connection; carried out %i times', async (kind, times) => {
    const world = await openServedWorld();
    const body = await validBody(world, 'bank_transfer');
    await world.control('POST', '/faults', { route: 'payouts.create', kind });
    const call = { idempotencyKey: 'the-same-key' };
    await expect(world.post('/v2/payouts', body, call)).rejects.toThrow();
    expect(await allEvents(world)).toHaveLength(times);
    expect((await world.post('/v2/payouts', body, call)).status).toBe(201);
    expect(await allEvents(world)).toHaveLength(1);
  });

  it('delay holds the answer back', async () => {
    const world = await openServedWorld();
    await world.control('POST', '/faults', { route: 'balances', kind: 'delay', delay_ms: 5000 });
    let isAnswered = false;
    const answer = world.get('/v2/balances').then((reply) => {
      isAnswered = true;
      return reply;
    });
    // A later request is answered first: the delayed one waits for the clock, not for the connection.
    for (let asked = 0; asked < 5; asked++) await world.get('/v2/methods');
    expect(isAnswered).toBe(false);
    world.clock.advance(5000);
    expect((await answer).status).toBe(200);
  });
});

describe('racing requests', () => {
  it('with one key make one operation, and every caller gets it', async () => {
    const world = await openServedWorld();
    const body = await validBody(world, 'bank_transfer');
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => world.post('/v2/payouts', body, { idempotencyKey: 'the-same-key' })),
    );
    expect(new Set(replies.map(({ status, json }) => `${String(status)} ${json.id}`)).size).toBe(1);
    expect(replies[0]!.status).toBe(201);
    expect(await allEvents(world)).toHaveLength(1);
    expect((await balanceOf(world)).available).toBe('-100.00');
  });

  it('with one key and two bodies make one operation, and the other is told so', async () => {
    const world = await openServedWorld();
    const bodies = [
      await validBody(world, 'bank_transfer'),
      await validBody(world, 'bank_transfer', '12345678', '2.00'),
    ];
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        world.post('/v2/payouts', bodies[at % 2], { idempotencyKey: 'the-same-key' }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(10).fill(201),
      ...Array<number>(10).fill(409),
    ]);
    expect(await allEvents(world)).toHaveLength(1);
  });

  it('conserve the money exactly', async () => {
    const world = await openServedWorld();
    await Promise.all(
      Array.from({ length: 300 }, (_, at) =>
        create(world, at % 3 === 0 ? 'direct_debit' : 'bank_transfer', {
          amount: '1.01',
          document: at % 3 === 1 ? '00000002' : '12345678',
        }),
      ),
    );
    expect(await balanceOf(world)).toEqual({ available: '-101.00', reserved: '101.00' });
  });
});
