import { renderToString } from 'ink';
import { describe, expect, it } from 'vitest';
import type { Effect, Message, State, CallEnd } from '../../../src/payments/dialogue/dialogue.js';
import { optionsOf, questionAt } from '../../../src/payments/dialogue/fields-step.js';
import { questionsOf } from '../../../src/payments/dialogue/questions.js';
import { begin, beginExisting, reduce } from '../../../src/payments/dialogue/reduce.js';
import { FlowView } from '../../../src/payments/dialogue/screen/face.js';
import { BANKS, CONFIRMED, FAILED, ID, operation, PROCESSING, seen, SETTING, WHOLE } from './given.js';

import fc from 'fast-check';

const CODE = '918273';
const STYLE = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

const key = fc
  .constantFrom(
    ...([
      ...['enter', 'enter', 'enter', 'down', 'up', 'left', 'right', 'tab', 'backtab', 'home', 'end'],
      ...['backspace', 'clear', 'delete'],
    ] as const),
  )
  .map((name): Message => ({ type: 'key', key: name }));
const leave = fc.constantFrom<Message>(
  { type: 'key', key: 'escape' },
  { type: 'key', key: 'interrupt' },
  { type: 'stop' },
);
const words = fc.oneof(
  fc.constantFrom('10.00', '12345678', 'V', '0102', 'banco', '04121234567', 'yes', '\u001b[2J', '\r\n'),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const end: fc.Arbitrary<CallEnd> = fc.constantFrom<CallEnd>(
  operation(seen()),
  operation(seen({ codeExpiresAt: '2026-09-23T15:09:00Z' })),
  operation(CONFIRMED),
  operation(FAILED),
  operation(PROCESSING),
  operation(seen({ pendingReason: 'awaiting_payment', codeValidMs: null })),
  operation(seen({ status: 'odd', pendingReason: 'odd' })),
  { kind: 'refused', code: 'too_many_codes', text: 'No.' },
  { kind: 'refused', code: 'field_invalid', text: 'No.' },
  { kind: 'later', text: 'Not now.' },
  { kind: 'unknown', text: 'Unknown.' },
);

type Event =
  | { readonly is: 'message'; readonly message: Message }
  | { readonly is: 'answer'; readonly end: CallEnd }
  | { readonly is: 'words'; readonly text: string }
  | { readonly is: 'time'; readonly ms: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: key.map((message): Event => ({ is: 'message', message })) },
  { weight: 5, arbitrary: end.map((how): Event => ({ is: 'answer', end: how })) },
  { weight: 4, arbitrary: words.map((text): Event => ({ is: 'words', text })) },
  { weight: 1, arbitrary: fc.constant<Event>({ is: 'message', message: BANKS }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 200_000 }).map((ms): Event => ({ is: 'time', ms })) },
  { weight: 1, arbitrary: leave.map((message): Event => ({ is: 'message', message })) },
);

const START = fc.constantFrom(
  begin(SETTING, WHOLE, 0),
  begin(SETTING, { country: 'VE', currency: 'VES', method: 'debit_otp' }, 0),
  begin({ ...SETTING, toAsk: ['country', 'currency', 'method'] }, {}, 0),
  begin({ ...SETTING, isLive: true, mustSayYes: true }, WHOLE, 0),
  beginExisting({ ...SETTING, catalog: null }, ID, 0),
);

function messageOf(event: Event, state: State): Message | null {
  switch (event.is) {
    case 'message':
      return event.message;
    case 'answer':
      return state.step.step === 'busy'
        ? { type: 'ended', call: state.step.call, end: event.end, nowMs: state.nowMs }
        : null;
    case 'words':
      return { type: 'text', text: state.step.step === 'code' ? CODE : event.text };
    case 'time':
      return { type: 'tick', nowMs: state.nowMs + event.ms };
  }
}

function expectDefined(state: State): void {
  const { step } = state;
  expect(state.resendsLeft).toBeGreaterThanOrEqual(0);
  expect(state.resendsLeft).toBeLessThanOrEqual(5);
  if (step.step === 'fields') {
    const question = questionAt(state, step)!;
    expect(question).not.toBeNull();
    const options = optionsOf(question, step);
    if (options !== null && options.length > 0) expect(options[step.draft.marked]).toBeDefined();
    expect(step.draft.cursor).toBeGreaterThanOrEqual(0);
    expect(step.draft.cursor).toBeLessThanOrEqual(step.draft.text.length);
  }
  if (step.step === 'menu') expect(step.options[step.marked]).toBeDefined();
  if (step.step === 'code' || (step.step === 'busy' && step.call !== 'create' && step.call !== 'repeat')) {
    expect(state.id).toBe(ID);
  }
}

function expectCalled(before: State, after: State, effect: Effect | null): void {
  const isCall = effect !== null && effect.type !== 'banks' && effect.type !== 'abort';
  if (isCall) expect(after.step).toMatchObject({ step: 'busy', call: effect.type, endAfterCall: null });
  const waits = before.step.step === 'busy' && before.step === after.step;
  if (after.step.step === 'busy' && !isCall) {
    expect(waits || (before.step.step === 'busy' && after.step.endAfterCall !== null)).toBe(true);
  }
  if (effect?.type === 'confirm') {
    expect(effect.code).not.toBe('');
    if (before.codeDeadlineMs !== null) expect(before.nowMs).toBeLessThan(before.codeDeadlineMs);
  }
  if (effect?.type === 'create') {
    for (const { path, accepts } of questionsOf(before)) expect(accepts(effect.answers[path]!)).toBe(true);
  }
}

describe('any sequence', () => {
  it('ends in a defined state, asks for what it waits for, and forgets the code once it was sent', () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(START, fc.array(event, { maxLength: 60, size: 'max' }), (start, events) => {
        let { state } = start;
        for (const happened of events) {
          const message = messageOf(happened, state);
          if (message === null) continue;
          const { state: next, effect } = reduce(state, message);
          expectDefined(next);
          expectCalled(state, next, effect);
          if (state.step.step === 'done') expect(next).toBe(state);
          if (next.step.step !== 'code') expect(JSON.stringify(next)).not.toContain(CODE);
          reached.add(next.step.step === 'busy' ? next.step.call : next.step.step);
          state = next;
        }
      }),
      { numRuns: 1500 },
    );
    expect([...reached].sort()).toEqual(
      [
        ...['code', 'confirm', 'create', 'done', 'fields', 'follow', 'lookUp', 'menu', 'repeat'],
        ...['resend', 'summary'],
      ].sort(),
    );
  });

  it('fits the screen at 40 columns, shows no control character, and no code but the one being typed', () => {
    fc.assert(
      fc.property(START, fc.array(event, { maxLength: 30, size: 'max' }), (start, events) => {
        let { state } = start;
        for (const happened of events) {
          const message = messageOf(happened, state);
          if (message !== null) state = reduce(state, message).state;
        }
        const frame = renderToString(<FlowView state={state} />, { columns: 40 });
        const plain = frame.replace(STYLE, '');
        expect(plain).not.toMatch(/[^\n\P{Cc}]/u);
        for (const line of plain.split('\n')) {
          if (/^[ -~]*$/.test(line)) expect(line.length, line).toBeLessThanOrEqual(40);
        }
        if (state.step.step !== 'code') expect(frame).not.toContain(CODE);
      }),
      { numRuns: 250 },
    );
  });
});
