import { describe, expect, it } from 'vitest';
import type { Method } from '../../../src/contract/operation.js';
import { createPayin, createPayout } from '../../../src/sandbox/machine/create.js';
import { confirm, lookUp, pay, paymentFor, passTime } from '../../../src/sandbox/machine/passage.js';
import { cancel, settleWith } from '../../../src/sandbox/machine/settle.js';
import type { BankVerdict } from '../../../src/sandbox/machine/operation.js';
import { at, done, MINUTE, moved, ORIGIN, payin, payout, processingPayout, SECOND, START } from './given.js';

const REFUSED: BankVerdict = { status: 'failed', code: 'limit_exceeded', reason: 'daily_limit' };

describe('slow outcomes', () => {
  it.each(['12345678', '00000001'])('leave a payout to %s processing, no lookup settles it', (number) => {
    const step = createPayout(payout(number), ORIGIN, at(0, { settleAfterMs: 7 * SECOND }));
    expect(step.record.operation).toMatchObject({ status: 'pending', pending_reason: 'processing' });
    expect(step.record.hidden).toMatchObject({ due_at: START + 7 * SECOND, settles_on_lookup: false });
    expect(moved(step)).toEqual(['reserve 10050']);
  });

  it('hold direct_debit back, and no other pay-in', () => {
    const slow = at(0, { settleAfterMs: 7 * SECOND });
    const reasonOf = (method: Method): string | null =>
      createPayin(payin(method), ORIGIN, slow).record.operation.pending_reason;
    expect(reasonOf('direct_debit')).toBe('processing');
    expect(reasonOf('debit_otp')).toBe('awaiting_code');
    expect(reasonOf('incoming_transfer')).toBe('awaiting_payment');
  });
});

describe('an armed outcome', () => {
  it.each(['12345678', '00000002', '00000001'])('beats what the document %s says', (number) => {
    const step = createPayout(payout(number), ORIGIN, at(0, { verdict: REFUSED }));
    expect(step.record.operation.failure).toMatchObject({ code: 'limit_exceeded', reason: 'daily_limit' });
    expect(moved(step)).toEqual(['reserve 10050', 'release 10050']);
  });

  it('comes late where outcomes are slow', () => {
    const step = createPayout(payout(), ORIGIN, at(0, { verdict: REFUSED, settleAfterMs: SECOND }));
    expect(step.record.hidden.verdict).toEqual(REFUSED);
    expect(step.record.operation.status).toBe('pending');
  });

  it('waits for the moment at which the bank answers', () => {
    const { operation, hidden } = createPayin(payin('debit_otp'), ORIGIN, at(0, { verdict: REFUSED })).record;
    expect(operation.pending_reason).toBe('awaiting_code');
    expect(hidden.verdict).toEqual(REFUSED);
  });
});

describe('an outcome that is pending', () => {
  const verdict = { status: 'pending' } as const;
  const YEAR = 366 * 24 * 60 * MINUTE;

  it.each([0, SECOND])(
    'leaves a payout processing, whenever others come (%i ms), till it is settled',
    (ms) => {
      const step = createPayout(payout(), ORIGIN, at(0, { verdict, settleAfterMs: ms }));
      const { record: held } = step;
      expect(held.operation).toMatchObject({ status: 'pending', pending_reason: 'processing' });
      expect(held.hidden).toMatchObject({ due_at: null, verdict: null, settles_on_lookup: false });
      expect([moved(step), step.event]).toEqual([['reserve 10050'], null]);
      expect([passTime(held, at(YEAR)), lookUp(held, at(YEAR))]).toEqual([null, null]);
      expect(settleWith(held, { status: 'confirmed' }, at(YEAR))).toMatchObject({
        event: 'payout.confirmed',
      });
      expect(settleWith(held, REFUSED, at(YEAR)).record.operation.failure).toMatchObject({
        code: 'limit_exceeded',
      });
      expect(done(cancel(held, at(YEAR))).record.operation.failure).toMatchObject({ code: 'cancelled' });
    },
  );

  it('leaves direct_debit processing', () => {
    const { operation, hidden } = createPayin(payin('direct_debit'), ORIGIN, at(0, { verdict })).record;
    expect([operation.pending_reason, hidden.due_at]).toEqual(['processing', null]);
  });

  it.each(['confirm', 'create'])('comes with a right code, armed at the %s', (armedAt) => {
    const [atCreate, atConfirm] = armedAt === 'create' ? [{ verdict }, {}] : [{}, { verdict }];
    const { record: held } = createPayin(payin('debit_otp'), ORIGIN, at(0, atCreate));
    const wrong = done(confirm(held, '000000', at(MINUTE, atConfirm)));
    expect(wrong.record.operation.failure).toMatchObject({ code: 'code_rejected' });
    const right = done(confirm(held, at(0).code, at(MINUTE, atConfirm)));
    expect(right.record.operation).toMatchObject({ status: 'pending', pending_reason: 'processing' });
    expect(right.record.operation).not.toHaveProperty('code_expires_at');
    expect(right.record.hidden).toMatchObject({ due_at: null, verdict: null, code_expires_at: null });
    expect([passTime(right.record, at(YEAR)), right.event]).toEqual([null, null]);
  });

  it('says nothing to a pay-in that waits for a payment: the money arrives', () => {
    const { record: held } = createPayin(payin('incoming_transfer'), ORIGIN, at(0, { verdict }));
    const step = pay(held, paymentFor(held), at(MINUTE));
    expect(step?.record.operation.status).toBe('confirmed');
  });
});

const FAILURE = { code: 'cancelled', reason: 'cancelled', message: 'It was cancelled on request.' };

describe('cancel', () => {
  it('is not moved by an armed outcome', () => {
    const verdict = { status: 'confirmed' } as const;
    expect(done(cancel(processingPayout(), at(MINUTE, { verdict }))).record.operation.failure).toEqual(
      FAILURE,
    );
  });
});
