import fc from 'fast-check';
import { renderToString } from 'ink';
import { describe, expect, it } from 'vitest';
import {
  beginForm,
  reduceForm,
  type FormField,
  type FormMessage,
  type FormState,
} from '../../../../src/payments/dialogue/form/form.js';
import { FormView } from '../../../../src/payments/dialogue/form/run-form.js';
import { key, text } from '../given.js';

const field = (name: string, change: Partial<FormField> = {}): FormField => ({
  ...{ name, label: name, hint: '', isSecret: false },
  problemOf: (value) => (value === '' ? 'Needed.' : null),
  ...change,
});
const FIELDS = [field('address'), field('secret', { isSecret: true }), field('last')];

function play(...messages: readonly unknown[]): FormState {
  return messages.reduce<FormState>(
    (state, message) => reduceForm(state, message as FormMessage),
    beginForm(FIELDS),
  );
}

describe('a form', () => {
  it('takes one answer after the other', () => {
    const done = play(text('a'), key('enter'), text('b'), key('enter'), text(' c '), key('enter'));
    expect(done).toMatchObject({ end: 'finished', answers: { address: 'a', secret: 'b', last: 'c' } });
  });

  it('stays where an answer is wrong', () => {
    expect(play(key('enter'))).toMatchObject({ at: 0, problem: 'Needed.', end: null });
  });

  it('goes back to an answer that stands there', () => {
    expect(play(text('a'), key('enter'), key('up'))).toMatchObject({ at: 0, draft: { text: 'a' } });
  });

  it('passes over what the answers before leave nothing to ask of, and says what an empty answer means', () => {
    const isAsked = ({ secret = '' }: FormState['answers']) => secret !== '';
    const free = { problemOf: () => null };
    const fields = [
      field('secret', { isSecret: true, ...free }),
      field('try it', { isAsked, emptyText: 'yes', ...free }),
      field('last', free),
    ];
    const frames = (...messages: readonly unknown[]) => {
      const state = messages.reduce<FormState>(
        (before, message) => reduceForm(before, message as FormMessage),
        beginForm(fields),
      );
      return { state, frame: renderToString(<FormView state={state} />, { columns: 60 }) };
    };
    const enter = key('enter');
    const passed = frames(enter);
    expect(passed.state.at).toBe(2);
    expect(passed.frame).not.toContain('try it');
    expect(frames(enter, key('up')).state.at).toBe(0);
    const asked = frames(text('abc'), enter, enter, enter);
    expect(asked.state.end).toBe('finished');
    expect(asked.frame).toMatch(/secret: typed\ntry it: yes\nlast: none/);
  });

  it('ends by Esc, Ctrl-C and from outside', () => {
    expect(play(key('escape')).end).toBe('left');
    expect(play(key('interrupt')).end).toBe('stopped');
    expect(play({ type: 'stop' }).end).toBe('stopped');
  });

  it('shows a secret in no frame, whatever is pressed', () => {
    const secret = 'svc_test_canary';
    const step = fc.constantFrom(...(['enter', 'up', 'left', 'home', 'delete', 'end'] as const)).map(key);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const state = play(text('a'), key('enter'), text(secret), ...steps);
        const frame = renderToString(<FormView state={state} />, { columns: 60 });
        expect(frame).not.toMatch(/canary|svc_test/);
      }),
      { numRuns: 100 },
    );
    expect(renderToString(<FormView state={play(text('a'), key('enter'), text('abc'))} />)).toContain('***_');
  });
});
