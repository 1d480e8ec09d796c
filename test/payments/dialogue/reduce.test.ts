import { describe, expect, it } from 'vitest';
import { beginExisting, reduce } from '../../../src/payments/dialogue/reduce.js';
import type { Message, State } from '../../../src/payments/dialogue/dialogue.js';
import { entryOf, questionsOf } from '../../../src/payments/dialogue/questions.js';
import { answerText, numberedLabel, nextStepText } from '../../../src/payments/dialogue/wording.js';
import {
  atCode,
  BANKS,
  CONFIRMED,
  ended,
  endOf,
  FAILED,
  FIVE_MINUTES_MS,
  ID,
  key,
  operation,
  play,
  PROCESSING,
  seen,
  SETTING,
  started,
  text,
  WHOLE,
} from './given.js';

const PLACE = { country: 'VE', currency: 'VES', method: 'debit_otp' };
const LOST = { kind: 'unknown', text: 'The outcome is unknown.' } as const;

function question(state: State): string | undefined {
  return state.step.step === 'fields' ? questionsOf(state)[state.step.at]?.path : undefined;
}

const effectOf = (state: State, message: Message) => reduce(state, message).effect;

const without = (path: string): State =>
  started(Object.fromEntries(Object.entries(WHOLE).filter(([name]) => name !== path)));

function titles(state: State): string[] {
  return state.step.step === 'menu' ? state.step.options.map(({ action }) => action) : [];
}

describe('the questions', () => {
  it('are the fields that the catalog declares for the method, required ones and given ones', () => {
    expect(questionsOf(started(PLACE)).map(({ path }) => path)).toEqual([
      ...['amount', 'payer.document.type', 'payer.document.number', 'payer.bank_code', 'payer.phone'],
    ]);
    expect(questionsOf(started({ ...PLACE, 'payer.email': 'a@b.c' })).at(-1)?.path).toBe('payer.email');
  });

  it('begin at the first that no flag answered, and end in the summary', () => {
    const asked = without('payer.phone');
    expect(question(asked)).toBe('payer.phone');
    const done = play(asked, text('04121234567'), key('enter'));
    expect(done.step.step).toBe('summary');
    expect(done.answers).toEqual(WHOLE);
  });

  it('do not ask for a currency where the country leaves one, and ask anew where another country leaves two', () => {
    const setting = { ...SETTING, direction: 'payout', toAsk: ['country', 'currency', 'method'] } as const;
    const venezuela = play(started({}, setting), text('venez'), key('enter'));
    expect(question(venezuela)).toBe('method');
    expect(venezuela.answers).toMatchObject({ country: 'VE', currency: 'VES' });
    const chile = play(venezuela, key('left'), text('chile'), key('enter'));
    expect(question(chile)).toBe('currency');
    const back = play(chile, key('left'), text('venez'), key('enter'));
    expect(back.answers).toMatchObject({ country: 'VE', currency: 'VES' });
    expect(question(back)).toBe('method');
  });

  it('are numbered once it is known how many there are, and each by one more than the one before', () => {
    const shown = (state: State): string =>
      state.step.step === 'fields' ? numberedLabel(state, state.step.at) : '';
    const titles: string[] = [];
    let state = started({}, { ...SETTING, toAsk: ['country', 'currency', 'method'] });
    const typed = ['venez', 'debit_otp', '10', 'V', '12345678', '0102', '04121234567'];
    for (const answer of typed) {
      titles.push(shown(state));
      state = play(state, BANKS, text(answer), key('enter'));
    }
    expect(state.step.step).toBe('summary');
    expect(state.answers).toEqual({ ...WHOLE, amount: '10' });
    expect(titles.map((title) => title.replace(/.*?(\(.*)?$/, '$1'))).toEqual([
      ...['', '', '(3 of 7)', '(4 of 7)', '(5 of 7)', '(6 of 7)', '(7 of 7)'],
    ]);
  });

  const MEANT: Readonly<Record<string, readonly string[]>> = {
    'payer.phone': [
      '0412 123 4567',
      '0412-123-4567',
      '(0412) 123.4567',
      '０４１２１２３４５６７',
      ' 04121234567 ',
    ],
    'payer.document.number': ['V-12.345.678', '12.345.678', 'v12345678'],
    'payer.bank_code': ['0102', '0102 - BANCO', '0102–banco', 'banco'],
  };
  const ALL = Object.entries(MEANT).flatMap(([path, typed]) => typed.map((one) => [path, one] as const));
  it.each(ALL)('take %s as it is meant: %j', (path, typed) => {
    expect(play(without(path), BANKS, text(typed), key('enter')).answers).toEqual(WHOLE);
  });

  it('do not take a document of another type', () => {
    const state = play(without('payer.document.number'), text('E-12.345.678'), key('enter'));
    expect(state.step).toHaveProperty('problem', 'Not valid. Example: 12345678');
  });

  it('show the bank by its name once it was answered', () => {
    const state = play(without('payer.phone'), BANKS);
    const bank = questionsOf(state).find(({ path }) => path === 'payer.bank_code')!;
    expect(answerText(bank, state.answers)).toMatch(/^0102 {2}Banco /);
    const document = questionsOf(state).find(({ path }) => path === 'payer.document.number')!;
    expect(answerText(document, state.answers)).toBe('***5678');
  });

  it('are the same for a payout, of its beneficiary', () => {
    const payout = { ...SETTING, direction: 'payout' } as const;
    const state = started({ ...PLACE, method: 'mobile_payment' }, payout);
    expect(questionsOf(state).map(({ path }) => path)).toEqual([
      ...['amount', 'beneficiary.document.type', 'beneficiary.document.number'],
      ...['beneficiary.bank_code', 'beneficiary.account_number'],
    ]);
  });

  it.each(['', 'ten', '10,00', '10.001', '0.50', '900000'])('refuse the amount %j and stay', (typed) => {
    const state = play(started(PLACE), text(typed), key('enter'));
    expect(question(state)).toBe('amount');
    expect(state.step).toHaveProperty('problem', expect.stringContaining('1.00 to 500000.00'));
  });

  it('go back with what was typed, right or wrong, and forth again', () => {
    const state = play(started(PLACE), text('10'), key('enter'), key('right'), text('12'), key('up'));
    expect(question(state)).toBe('payer.document.type');
    const forth = play(state, key('enter'));
    expect(forth.step).toMatchObject({ step: 'fields', draft: { text: '12' } });
    expect(question(play(forth, key('up'), key('left')))).toBe('amount');
  });

  it('find a bank by a part of its name, accents aside, and by its code: one that takes the method', () => {
    const none = 'No entry of the list matches.';
    const at = play(started({ ...WHOLE, 'payer.bank_code': '0175' }), BANKS);
    expect(question(at)).toBe('payer.bank_code');
    for (const typed of ['credito', 'CRÉDITO', '0191'])
      expect(play(at, text(typed), key('enter')).answers['payer.bank_code']).toBe('0191');
    for (const typed of ['xyz', '0175'])
      expect(play(at, text(typed), key('enter')).step).toHaveProperty('problem', none);
  });

  it('take a bank by its code where the list cannot be had', () => {
    const none: Message = { type: 'banks', key: 'VE debit_otp', list: null };
    const at = play(started({ ...WHOLE, 'payer.bank_code': '' }), none);
    expect(play(at, text('01'), key('enter')).step).toMatchObject({ step: 'fields' });
    expect(play(at, text('0199'), key('enter')).answers['payer.bank_code']).toBe('0199');
  });

  it('ask for the banks of the country and method once they are known', () => {
    expect(effectOf(started(PLACE), key('enter'))).toBeNull();
    expect(reduce(started(PLACE), text('1')).effect).toBeNull();
    expect(play(started(PLACE), text('10'), key('enter')).banks).toBeNull();
  });

  it('edit inside the text', () => {
    const state = play(started(PLACE), text('1900'), key('home'), key('right'), key('delete'), text('5'));
    expect(state.step).toMatchObject({ draft: { text: '1500', cursor: 2 } });
    expect(play(state, key('end'), key('backspace')).step).toMatchObject({ draft: { text: '150' } });
    expect(play(state, key('clear')).step).toMatchObject({ draft: { text: '', cursor: 0 } });
  });

  it('let nothing in that could drive a terminal', () => {
    const state = play(started(PLACE), text('1\u001b[2J0\u009b\u202e\n'));
    expect(state.step).toMatchObject({ draft: { text: '1[2J0 ' } });
  });
});

describe('the summary', () => {
  it.each([
    ['debit_otp', /the bank then sends the payer a code/],
    ['direct_debit', /the bank then collects it/],
    ['incoming_transfer', /the payer then sends the money/],
    ['incoming_mobile_payment', /the payer then sends the money/],
  ])('says what follows for %s, and speaks of a code only where there is one', (method, follows) => {
    const state = started({ ...WHOLE, method });
    expect(nextStepText(state)).toMatch(follows);
    if (method !== 'debit_otp') expect(nextStepText(state)).not.toContain('code');
  });

  it('creates with exactly the answers', () => {
    expect(effectOf(started(), key('enter'))).toEqual({ type: 'create', answers: WHOLE });
  });

  it('asks for the word where the money is real', () => {
    const live = started(WHOLE, { ...SETTING, isLive: true, mustSayYes: true });
    expect(effectOf(live, key('enter'))).toBeNull();
    expect(effectOf(play(live, text('ye')), key('enter'))).toBeNull();
    expect(effectOf(play(live, text('yes'), key('clear')), key('enter'))).toBeNull();
    expect(effectOf(play(live, text('yes')), key('enter'))).toMatchObject({ type: 'create' });
  });

  it('goes back to the last question', () => {
    expect(question(play(started(), key('up')))).toBe('payer.phone');
  });
});

describe('the create', () => {
  const creating = play(started(), key('enter'));

  it('leads to the code', () => {
    const state = play(creating, ended(creating, operation(seen())));
    expect(state.step).toMatchObject({ step: 'code', text: '' });
    expect(state.log).toEqual([`Pay-in ${ID}, 10.00 VES.`]);
  });

  it('whose answer was lost is repeated with its key, or left; its data is not changed', () => {
    const lost = play(creating, ended(creating, LOST));
    expect(titles(lost)).toEqual(['repeat', 'leave']);
    expect(lost.step).toHaveProperty('text', expect.stringContaining('same key'));
    expect(effectOf(lost, key('enter'))).toEqual({ type: 'repeat' });
    expect(endOf(play(lost, key('down'), key('enter')))).toBe('left');
  });

  it('that was refused lets the data be changed', () => {
    const refused = play(creating, ended(creating, { kind: 'refused', code: 'x', text: 'No.' }));
    expect(titles(refused)).toEqual(['fields', 'leave']);
    expect(question(play(refused, key('enter')))).toBe('amount');
  });

  it('that came at a bad moment is tried again with its key', () => {
    const later = play(creating, ended(creating, { kind: 'later', text: 'Not now.' }));
    expect(effectOf(later, key('enter'))).toEqual({ type: 'repeat' });
  });

  it('of a method without a code is followed, or ends', () => {
    const followed = reduce(creating, ended(creating, operation(PROCESSING)));
    expect(followed.effect).toEqual({ type: 'follow', id: ID });
    const waits = play(creating, ended(creating, operation(seen({ pendingReason: 'awaiting_payment' }))));
    expect(endOf(waits)).toBe('finished');
  });

  it('of an incoming pay-in ends with the account that the payer sends the money to', () => {
    const asked = play(started({ ...WHOLE, method: 'incoming_transfer' }), key('enter'));
    const waits = play(asked, ended(asked, operation(seen({ pendingReason: 'awaiting_payment' }))));
    expect(endOf(waits)).toBe('finished');
    const { receiving_account: account } = entryOf(SETTING, { ...WHOLE, method: 'incoming_transfer' })!;
    const said = waits.log.join('\n');
    for (const text of [account!.bank_code, account!.holder, account!.document, account!.account_number!])
      expect(said).toContain(text);
  });
});

describe('the code', () => {
  it.each([
    ...['123456', '123 456', ' 123-456\n', '１２３４５６', '123\u00a0456', '1\u200b23456', '123\u2212456'],
  ])('understands %j and shows it', (pasted) => {
    const state = play(atCode(), text(pasted));
    expect(state.step).toMatchObject({ text: '123456' });
    expect(effectOf(state, key('enter'))).toEqual({ type: 'confirm', id: ID, code: '123456' });
  });

  it('is in the state no longer once it was sent', () => {
    const sent = play(atCode(), text('918273'), key('enter'));
    expect(sent.step).toMatchObject({ step: 'busy', call: 'confirm' });
    expect(JSON.stringify(sent)).not.toContain('918273');
  });

  const NO_CODES = ['', '12', '123', '12345678901', '12345é', '123.456'];
  it.each(NO_CODES)('does not send %j: it would end the pay-in', (typed) => {
    expect(effectOf(play(atCode(), text(typed)), key('enter'))).toBeNull();
    expect(effectOf(play(atCode(), text(typed), key('enter')), key('enter'))).toBeNull();
  });

  it.each(['1234', '12345', 'AB12345', '123456789'])('asks once about %j, of unusual length', (typed) => {
    const state = play(atCode(), text(typed));
    const asked = reduce(state, key('enter'));
    expect(asked.effect).toBeNull();
    expect(asked.state.step).toHaveProperty('notice', expect.stringContaining('most codes have 6'));
    expect(effectOf(asked.state, key('enter'))).toEqual({ type: 'confirm', id: ID, code: typed });
    const other = play(asked.state, key('backspace'), text('99'));
    const again = reduce(other, key('enter'));
    expect(again.effect === null || again.effect).toEqual(
      typed.length + 1 === 6 ? { type: 'confirm', id: ID, code: `${typed.slice(0, -1)}99` } : true,
    );
  });

  it('counts down from what the service says, on a clock that never goes back', () => {
    const state = play(atCode(), { type: 'tick', nowMs: 28_000 }, { type: 'tick', nowMs: 1000 });
    expect(state.codeDeadlineMs).toBe(FIVE_MINUTES_MS);
    expect(state.nowMs).toBe(28_000);
  });

  it('that has expired is not sent; a new one is offered', () => {
    const over = play(atCode(), text('123456'), { type: 'tick', nowMs: FIVE_MINUTES_MS });
    const refused = reduce(over, key('enter'));
    expect(refused.effect).toBeNull();
    expect(refused.state.step).toMatchObject({ focus: 'resend' });
    expect(effectOf(refused.state, key('enter'))).toEqual({ type: 'resend', id: ID });
  });

  it('counts by what a read says of the same code: time that is over does not come back, and a second is no other time', () => {
    const left = (leftMs: number, of = seen().codeExpiresAt, nowMs = 60_000): State =>
      play(atCode(), { type: 'codeValidity', validity: { codeExpiresAt: of, validMs: leftMs }, nowMs });
    expect(left(100_000)).toMatchObject({ nowMs: 60_000, codeDeadlineMs: 160_000 });
    expect(left(0)).toMatchObject({ codeDeadlineMs: 60_000 });
    for (const state of [left(239_000), left(900_000), left(1000, 'of another code')])
      expect(state.codeDeadlineMs).toBe(FIVE_MINUTES_MS);
  });

  it.each([5, 0])('that has expired for the service comes back, with %i more to be had', (resendsLeft) => {
    const sent = { ...play(atCode(), text('123456'), key('enter')), resendsLeft };
    const back = play(sent, ended(sent, operation(seen({ codeValidMs: 0 })), 1000));
    const notice = expect.stringContaining('has expired and was not sent') as string;
    const step = { step: 'code', text: '', focus: resendsLeft > 0 ? 'resend' : 'code', notice };
    expect(back).toMatchObject({ codeDeadlineMs: 1000, step });
  });

  it('can be asked for five times more, and each begins the countdown anew', () => {
    let state = atCode();
    for (let count = 1; count <= 5; count += 1) {
      state = play(state, text('111'), key('down'), key('enter'));
      const fresh = seen({ codeExpiresAt: `2026-09-23T15:1${String(count)}:00Z` });
      state = play(state, ended(state, operation(fresh), count * 60_000));
      const codeDeadlineMs = count * 60_000 + FIVE_MINUTES_MS;
      expect(state).toMatchObject({
        resendsLeft: 5 - count,
        codeDeadlineMs,
        step: { step: 'code', text: '' },
      });
    }
    expect(effectOf(play(state, key('down')), key('enter'))).toBeNull();
  });

  it('is asked for no more once the service says so', () => {
    const resending = play(atCode(), key('down'), key('enter'));
    const none = { kind: 'refused', code: 'too_many_codes', text: 'x' } as const;
    expect(play(resending, ended(resending, none))).toMatchObject({ resendsLeft: 0, step: { step: 'code' } });
  });

  it('whose resend was lost is looked up', () => {
    const resending = play(atCode(), key('down'), key('enter'));
    const turn = reduce(resending, ended(resending, LOST));
    expect(turn.effect).toEqual({ type: 'lookUp', id: ID });
    const back = play(turn.state, ended(turn.state, operation(seen())));
    expect(back.step).toMatchObject({ step: 'code', notice: expect.stringContaining('lost') as string });
    expect(back.resendsLeft).toBe(4);
  });
});

describe('the confirmation', () => {
  const confirming = play(atCode(), text('123456'), key('enter'));

  it('ends the dialogue where it was taken', () => {
    const done = play(confirming, ended(confirming, operation(CONFIRMED)));
    expect(endOf(done)).toBe('finished');
    expect(done.log.at(-1)).toBe('Confirmed: 10.00 VES, bank reference 00000001.');
  });

  it('is not ended by what comes late of an earlier call', () => {
    const late: Message = { type: 'ended', call: 'create', end: operation(FAILED), nowMs: 0 };
    expect(play(confirming, late)).toEqual(confirming);
  });

  it('that is processing is followed until it is final', () => {
    const following = reduce(confirming, ended(confirming, operation(PROCESSING)));
    expect(following.effect).toEqual({ type: 'follow', id: ID });
    expect(endOf(play(following.state, (state) => ended(state, operation(CONFIRMED))))).toBe('finished');
  });

  it('that failed offers another with the same data, which is a new create', () => {
    const failed = play(confirming, ended(confirming, operation(FAILED)));
    expect(titles(failed)).toEqual(['summary', 'fields', 'finish']);
    const again = play(failed, key('enter'));
    expect(again.step.step).toBe('summary');
    const next = reduce(again, key('enter'));
    expect(next.effect).toEqual({ type: 'create', answers: WHOLE });
    expect(next.state).toMatchObject({ resendsLeft: 5, codeDeadlineMs: null });
  });

  it('whose answer was lost is looked up, never sent again by itself', () => {
    const lost = play(confirming, ended(confirming, LOST));
    expect(titles(lost)).toEqual(['lookUp', 'leave']);
    const looking = reduce(lost, key('enter'));
    expect(looking.effect).toEqual({ type: 'lookUp', id: ID });
    const still = play(looking.state, ended(looking.state, operation(seen())));
    expect(titles(still)).toEqual(['lookUp', 'code', 'leave']);
    const settled = play(looking.state, ended(looking.state, operation(CONFIRMED)));
    expect(endOf(settled)).toBe('finished');
  });

  it('that was refused is looked up too', () => {
    const refused = { kind: 'refused', code: 'code_not_expected', text: 'Not expected.' } as const;
    const looking = reduce(confirming, ended(confirming, refused));
    expect(looking.effect).toEqual({ type: 'lookUp', id: ID });
    const back = play(looking.state, ended(looking.state, operation(seen())));
    const notice = 'The service did not accept the code: Not expected.';
    expect(back.step).toMatchObject({ step: 'code', notice });
  });
});

describe('a pay-in that exists', () => {
  const { state, effect } = beginExisting({ ...SETTING, catalog: null }, ID, 0);

  it('is read first, and again where it could not be read', () => {
    expect(effect).toEqual({ type: 'lookUp', id: ID });
    expect(play(state, ended(state, operation(seen()))).step).toMatchObject({ step: 'code' });
    const unread = play(state, ended(state, { kind: 'later', text: 'Not now.' }));
    expect(effectOf(unread, key('enter'))).toEqual({ type: 'lookUp', id: ID });
  });

  it('that failed ends the dialogue: its data is not known', () => {
    expect(endOf(play(state, ended(state, operation(FAILED))))).toBe('finished');
  });
});

describe('leaving', () => {
  it.each(['escape', 'interrupt'] as const)('is possible at every step by %s', (name) => {
    const how = name === 'escape' ? 'left' : 'stopped';
    const failed = play(atCode(), text('123456'), key('enter'), (state) => ended(state, operation(FAILED)));
    for (const state of [started(PLACE), started(), atCode(), failed]) {
      expect(endOf(play(state, key(name)))).toBe(how);
    }
  });

  it('ends the call that is under way first, and says what became of it', () => {
    const leaving = reduce(play(started(), key('enter')), key('interrupt'));
    expect(leaving.effect).toEqual({ type: 'abort' });
    expect(endOf(leaving.state)).toBeNull();
    const done = play(leaving.state, ended(leaving.state, operation(seen())));
    expect(endOf(done)).toBe('stopped');
    expect(done.log).toEqual([`Pay-in ${ID}, 10.00 VES.`]);
  });

  it('comes from outside too', () => expect(endOf(play(atCode(), { type: 'stop' }))).toBe('stopped'));
});
