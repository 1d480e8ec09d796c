import { describe, expect, it } from 'vitest';
import type { Answered } from '../support/answered.js';
import { create } from '../support/bodies.js';
import { advance, allEvents, balanceOf, expectRefusal, msOf } from '../support/expectations.js';
import type { Reply } from '../support/exchange.js';
import { openWorld, type World } from '../support/world.js';

const CODE_SECONDS = 300;

async function awaiting(document?: string): Promise<{ world: World; payin: Answered }> {
  const world = await openWorld();
  const payin = (await create(world, 'debit_otp', document === undefined ? {} : { document })).json;
  return { world, payin };
}
const confirm = (world: World, { id }: Answered, code = world.code): Promise<Reply> =>
  world.post(`/v2/payins/${id}/confirm`, { code });
const resend = (world: World, { id }: Answered): Promise<Reply> => world.post(`/v2/payins/${id}/resend-code`);
const read = async (world: World, { id }: Answered): Promise<Answered> =>
  (await world.get(`/v2/payins/${id}`)).json;

describe('creation', () => {
  it.each([undefined, '00000001', '00000002', '00000004', '00000022'])(
    'with document %s awaits a code',
    async (document) => {
      const { payin } = await awaiting(document);
      expect(payin).toMatchObject({ status: 'pending', pending_reason: 'awaiting_code' });
      expect(msOf(payin.code_expires_at) - msOf(payin.created_at)).toBe(CODE_SECONDS * 1000);
    },
  );
});

describe('confirm', () => {
  it.each([
    [undefined, { status: 'confirmed', failure: null }],
    ['00000001', { status: 'failed', failure: { code: 'counterparty_rejected', reason: 'invalid_account' } }],
    ['00000002', { status: 'pending', pending_reason: 'processing', failure: null }],
    [
      '00000004',
      { status: 'failed', failure: { code: 'payer_insufficient_funds', reason: 'payer_insufficient_funds' } },
    ],
    ['00000022', { status: 'confirmed', failure: null }],
  ])('with the right code and document %s', async (document, outcome) => {
    const { world, payin } = await awaiting(document);
    const reply = await confirm(world, payin);
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject(outcome);
    expect(reply.json).not.toHaveProperty('code_expires_at');
    expect((await balanceOf(world)).available).toBe(outcome.status === 'confirmed' ? '100.00' : '0.00');
  });

  it('left in processing confirms on the first lookup, and credits then', async () => {
    const { world, payin } = await awaiting('00000002');
    await confirm(world, payin);
    expectRefusal(await confirm(world, payin), 'code_not_expected');
    expectRefusal(await resend(world, payin), 'code_not_expected');
    expect(await balanceOf(world)).toEqual({ available: '0.00', reserved: '0.00' });
    expect((await read(world, payin)).status).toBe('confirmed');
    expect(await balanceOf(world)).toEqual({ available: '100.00', reserved: '0.00' });
  });

  it('left in processing confirms by itself after 60 seconds', async () => {
    const { world, payin } = await awaiting('00000002');
    await confirm(world, payin);
    await advance(world, 59);
    expect(await allEvents(world)).toHaveLength(0);
    await advance(world, 1);
    expect((await allEvents(world)).map(({ type }) => type)).toEqual(['payin.confirmed']);
  });

  it.each([
    ['confirmed', '123456'],
    ['failed', '000000'],
  ])('is code_not_expected once %s, and so is a resend', async (status, code) => {
    const { world, payin } = await awaiting();
    expect((await confirm(world, payin, code)).json.status).toBe(status);
    expectRefusal(await confirm(world, payin), 'code_not_expected');
    expectRefusal(await resend(world, payin), 'code_not_expected');
    expect((await read(world, payin)).status).toBe(status);
  });
});

describe('an expired code', () => {
  it('leaves the pay-in pending, and a resend revives it', async () => {
    const { world, payin } = await awaiting();
    await advance(world, 30 * 86_400);
    expect(await read(world, payin)).toMatchObject({ status: 'pending', pending_reason: 'awaiting_code' });
    const resent = await resend(world, payin);
    expect(resent.status).toBe(200);
    expect(msOf(resent.json.code_expires_at) - msOf(payin.code_expires_at)).toBe(30 * 86_400_000);
    expect((await confirm(world, payin)).json.status).toBe('confirmed');
  });
});

describe('resend-code', () => {
  it.each([undefined, null, {}])('takes the body %j', async (body) => {
    const { world, payin } = await awaiting();
    await advance(world, 60);
    const reply = await world.post(`/v2/payins/${payin.id}/resend-code`, body);
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ id: payin.id, status: 'pending', pending_reason: 'awaiting_code' });
    expect(msOf(reply.json.code_expires_at) - msOf(payin.code_expires_at)).toBe(60_000);
  });

  it('is accepted five times; the sixth is too_many_codes and the code still works', async () => {
    const { world, payin } = await awaiting();
    for (let sent = 1; sent <= 5; sent++) expect((await resend(world, payin)).status).toBe(200);
    expectRefusal(await resend(world, payin), 'too_many_codes');
    expectRefusal(await resend(world, payin), 'too_many_codes');
    expect((await confirm(world, payin)).json.status).toBe('confirmed');
  });
});

describe.each(['direct_debit', 'incoming_mobile_payment', 'incoming_transfer'])('a %s', (method) => {
  it('expects no code', async () => {
    const world = await openWorld();
    const payin = (await create(world, method)).json;
    expectRefusal(await confirm(world, payin), 'code_not_expected');
    expectRefusal(await resend(world, payin), 'code_not_expected');
    expect((await read(world, payin)).status).toBe(payin.status);
  });
});
