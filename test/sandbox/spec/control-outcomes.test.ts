import { describe, expect, it } from 'vitest';
import { create } from '../support/bodies.js';
import { allEvents, arm, balanceOf } from '../support/expectations.js';
import { openWorld } from '../support/world.js';

const FAILURES: Readonly<Record<string, readonly string[]>> = {
  counterparty_rejected: [
    ...['invalid_account', 'account_closed', 'account_blocked', 'beneficiary_mismatch', 'invalid_phone'],
    ...['invalid_bank', 'invalid_document', 'other'],
  ],
  payer_insufficient_funds: ['payer_insufficient_funds'],
  ...{ mandate_required: ['no_mandate', 'mandate_revoked'], code_rejected: ['code_invalid', 'code_expired'] },
  ...{ limit_exceeded: ['amount_over_limit', 'daily_limit'], outside_hours: ['outside_hours'] },
  ...{ invalid_data: ['invalid_data'], expired: ['expired'], cancelled: ['cancelled'] },
  ...{ temporarily_unavailable: ['other', 'bank_offline', 'timeout'], rejected: ['other'] },
};
const OUTCOMES = Object.entries(FAILURES).flatMap(([code, reasons]) =>
  reasons.map((reason) => [code, reason] as const),
);

describe.each(OUTCOMES)('an outcome of %s / %s', (code, reason) => {
  const failure = { code, reason };
  it('is what the bank answers, in the 201 and at confirm, once', async () => {
    const world = await openWorld();
    for (const route of ['payouts.create', 'payins.create', 'payins.confirm'])
      await arm(world, { route, kind: 'outcome', failure });
    const payout = (await create(world, 'bank_transfer')).json;
    const debit = (await create(world, 'direct_debit')).json;
    const { id } = (await create(world, 'debit_otp')).json;
    const confirmed = (await world.post(`/v2/payins/${id}/confirm`, { code: world.code })).json;
    for (const operation of [payout, debit, confirmed]) {
      expect(operation).toMatchObject({ status: 'failed', failure });
      expect(operation.failure?.message).toMatch(/\S/);
    }
    expect((await create(world, 'bank_transfer')).json.status).toBe('confirmed');
    expect(await balanceOf(world)).toEqual({ available: '-100.00', reserved: '0.00' });
    expect((await allEvents(world)).map(({ type }) => type)).toEqual([
      ...['payout.failed', 'payin.failed', 'payin.failed', 'payout.confirmed'],
    ]);
  });
});
